"""Which route of an HTTP API a request takes: full matches first, then greedy ones, then `$default`."""

from dataclasses import dataclass

from .model import HttpRoute


@dataclass(frozen=True)
class Match:
    """The route and the values of its path variables."""

    route: HttpRoute
    path_parameters: dict[str, str]


def find_route(routes: tuple[HttpRoute, ...], method: str, path: str) -> Match | None:
    """The most specific route for the method and the decoded path."""
    segments = path.split("/")[1:]
    best: Match | None = None
    for route in routes:
        if route.path == "$default" or route.method not in (method, "ANY"):
            continue
        parameters = _match(route.path.split("/")[1:], segments)
        if parameters is None:
            continue
        if best is None or _specificity(route) > _specificity(best.route):
            best = Match(route, parameters)
    if best is None:
        best = next((Match(route, {}) for route in routes if route.path == "$default"), None)
    return best


def _match(template: list[str], segments: list[str]) -> dict[str, str] | None:
    parameters: dict[str, str] = {}
    for index, part in enumerate(template):
        if part.endswith("+}"):
            rest = "/".join(segments[index:])
            return {**parameters, part[1:-2]: rest} if rest else None
        if index >= len(segments):
            return None
        if part.startswith("{"):
            if not segments[index]:
                return None
            parameters[part[1:-1]] = segments[index]
        elif part != segments[index]:
            return None
    return parameters if len(template) == len(segments) else None


def _specificity(route: HttpRoute) -> tuple[bool, list[int], bool]:
    """Sorts routes that match the same request: no greedy part, literal before variable, a method before ANY."""
    ranks = [0 if part.endswith("+}") else 1 if part.startswith("{") else 2 for part in route.path.split("/")[1:]]
    return 0 not in ranks, ranks, route.method != "ANY"
