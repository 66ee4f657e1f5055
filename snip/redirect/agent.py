"""What kind of program follows a link, by what it says of itself. Pure.

A table of our own and no library: those know thousands of names by one regular expression each, and the answer wanted
here is one of six. Who hides that it is a bot counts as a person.
"""

from __future__ import annotations

import re

from snip.event import AgentClass

# They draw a preview where somebody writes or reads the link. Apple's names two of the others.
_PREVIEW = re.compile(
    r"facebookexternalhit|facebot|facebookcatalog|meta-externalfetcher|twitterbot|slackbot|slack-imgproxy|whatsapp"
    r"|telegrambot|discordbot|linkedinbot|skypeuripreview|microsoftpreview|bingpreview|teamsbot|viber|line-poker"
    r"|snapchat.*preview|snap url preview|pinterestbot|redditbot|iframely|embedly|vkshare|mastodon|bluesky|cardyb"
    r"|signal-desktop-preview|googlemessages|google-pagerenderer|mattermost|rocket\.chat|zulip|synapse|kakaotalk-scrap"
    r"|flipboardproxy|tumblr|quora link preview|xing-contenttabreceiver|preview"
)
# Words that nearly all others use of themselves, and libraries that no person clicks with.
_BOT = re.compile(
    r"(?<!cu)bot(?:\b|_)|crawl|spider|slurp|scrap|archiver|headless|lighthouse|phantomjs|monitor|uptime|pingdom"
    r"|statuscake|scan|validator|checker|fetch|^curl|^wget|python|^java|^ruby|^perl|^php|go-http|okhttp|httpx|axios"
    r"|node-fetch|undici|libwww|guzzle|apache-http|aiohttp|postman|insomnia|feed|rss|mediapartners|google-extended"
    r"|googleother|google-safety|apis-google|yandex(?!browser|search)|baiduspider|bytespider|gptbot|claude|perplexity"
    r"|^wrk|^ab/|^hey/|k6/"
)
_TABLET = re.compile(r"ipad|tablet|kindle|silk/|playbook|android(?!.*mobile)")
_MOBILE = re.compile(r"iphone|ipod|android|mobile|windows phone|opera mini")
_DESKTOP = re.compile(r"windows nt|macintosh|x11|cros |linux")


def agent_class(user_agent: str) -> AgentClass:
    """Return the class of a User-Agent header. Without one it is a bot: every browser sends it."""
    said = user_agent.lower()
    if not said.strip():
        return AgentClass.BOT
    for pattern, agent in (
        (_PREVIEW, AgentClass.PREVIEW),
        (_BOT, AgentClass.BOT),
        (_TABLET, AgentClass.TABLET),
        (_MOBILE, AgentClass.MOBILE),
        (_DESKTOP, AgentClass.DESKTOP),
    ):
        if pattern.search(said):
            return agent
    return AgentClass.OTHER
