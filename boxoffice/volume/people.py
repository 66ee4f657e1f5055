"""Names that are spread as names are: a few that very many have, and very many that few have. Invented, and the same
each time.
"""

from __future__ import annotations

from itertools import product

_FORENAMES = """
    Anna Maria Thomas Michael Andreas Sabine Peter Julia Stefan Katharina Daniel Laura Christian Sophie Markus Lena
    Martin Sarah Alexander Lisa Wolfgang Monika Klaus Petra Jürgen Ursula Jan Claudia Tobias Nicole Paul Emma Lukas
    Hannah Felix Mia Jonas Leonie Maximilian Marie Ali Fatma Mehmet Ayşe Mustafa Elif Emre Zeynep Piotr Agnieszka
    Krzysztof Małgorzata Marek Joanna Tomasz Ewa John Mary James Patricia Robert Jennifer William Elizabeth David
    Linda Richard Susan Joseph Jessica Charles Karen Grace Ada Alan Dorothy Niklas Björn Åsa Søren Mette Zoë Chloé
    François Amélie Étienne Renée José María Carlos Lucía Javier Carmen Giulia Marco Chiara Luca Francesca Ivan Olga
    Dmitri Natalia Sergei Irina Yuki Hiroshi Wei Mei Ahmed Fatima Omar Layla Noor Aarav Priya Rohan Ananya Tariq
    Yasmin Ferdinand Adelheid Kunigunde Balthasar Philipp Filip Jakob Johanna Clara Konstantin Theresa Benedikt
    Xaver
"""

_SURNAMES = """
    Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf
    Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Schmitt Werner Krause Meier Lehmann
    Schmid Schulze Maier Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung
    Hahn Vogel Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Wilson Anderson Taylor Thomas Moore
    Jackson White Harris Clark Lewis Robinson Walker Young Hall Wright Hopper Lovelace Turing O'Brien O’Connor
    McDonald Yılmaz Kaya Demir Şahin Çelik Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Nguyễn
    Tran Rossi Ferrari Esposito Martin Bernard Dubois Lefèvre Jensen Nielsen Hansen Lindqvist Åkesson Øvergård Novák
    Dvořák Horváth Szabó Ionescu Ivanova Petrov Quendelbusch Leutheusser-Schnarrenberger
"""

_BEGINNINGS = "Acker Bach Birken Brand Dorn Eber Falken Feld Gold Grün Hasel Hirsch Kirch Klee Linden Mühl Nuss Ober"
_MIDDLES = ("", "en", "er", "el", "ing", "s")
_ENDS = "auer bach berger bruch burg dorf eder fels grund hagen heimer hofer kamp lein mann meister müller rath"

FORENAMES = tuple(_FORENAMES.split())
"""The commonest first."""

SURNAMES = (
    *_SURNAMES.split(),
    *("".join(parts) for parts in product(_BEGINNINGS.split(), _MIDDLES, _ENDS.split())),
)

HOSTS = ("example.org", "example.com", "example.net", "mail.example", "fans.example")
