"""A page that sells, as a web process of the chaos run serves it: a business row and its job in one transaction."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from jobs.enqueue import enqueue
from tests.probe.models import Purchase


@csrf_exempt
@require_POST
def purchase(request: HttpRequest) -> HttpResponse:
    key = request.POST["key"]
    with transaction.atomic():
        insert(key)
    return answer()


def insert(key: str) -> None:
    Purchase.objects.create(key=key)
    enqueue(task="probe.charge", args={"key": key}, subject=f"purchase:{key}")


def answer() -> HttpResponse:
    return HttpResponse("bought")
