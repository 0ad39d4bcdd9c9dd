"""A site on Starlette that tells by which readings of its own a request is for the protected path."""

import sys
import urllib.parse

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

READINGS = {
    "urlparse": lambda target: urllib.parse.urlparse(target).path,
    "urljoin": lambda target: urllib.parse.urlsplit(urllib.parse.urljoin("http://site/", target)).path,
}


def is_protected(reading, target):
    try:
        return reading(target).rstrip("/") == "/api/login"
    except ValueError:
        return False


def served(request, first=()):
    target = request.scope["raw_path"].decode("ascii")
    names = [name for name, reading in READINGS.items() if is_protected(reading, target)]
    return PlainTextResponse(" ".join([*first, *names]))


def protected(request):
    return served(request, ["route"])


site = Starlette(
    routes=[
        Route("/api/login", protected),
        Route("/api/login/", protected),
        Route("/{rest:path}", served),
    ]
)

uvicorn.run(site, port=int(sys.argv[1]), http="h11", log_level="error", timeout_keep_alive=600)
