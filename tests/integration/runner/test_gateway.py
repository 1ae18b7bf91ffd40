"""The front door: payload format 2.0 in and out, routes, limits and hostile clients."""

import base64
import http.client
import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.integration.runner.conftest import Eventually, Running, Start


def route(name: str, method: str, path: str) -> str:
    return f"        {name}: {{Type: HttpApi, Properties: {{ApiId: !Ref Api, Method: {method}, Path: '{path}'}}}}\n"


TEMPLATE = (
    """
Resources:
  Api:
    Type: AWS::Serverless::HttpApi
  Answer:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.answer
      Events:
"""
    + route("Any", "ANY", "/things/{id}")
    + route("Get", "GET", "/things/{id}")
    + route("Literal", "GET", "/things/new")
    + route("Greedy", "ANY", "/files/{proxy+}")
    + route("Root", "GET", "/")
    + """
  Raise:
    Type: AWS::Serverless::Function
    Properties: {Handler: app.raise_error, Events: {A: {Type: HttpApi, Properties: {ApiId: !Ref Api, Path: /raise}}}}
"""
)


class Client:
    """One connection to the gateway."""

    def __init__(self, running: Running) -> None:
        self.connection = http.client.HTTPConnection(running.runner.http_address.removeprefix("http://"), timeout=60)

    def request(
        self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        self.connection.request(method, target, body, headers or {})
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def event(self, method: str, target: str, body: bytes | None = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        status, _, answer = self.request(method, target, body, named)
        assert status == 200, answer
        return json.loads(answer)

    def answer(self, answer: Any) -> tuple[int, http.client.HTTPMessage, bytes]:
        return self.request("GET", "/", headers={"x-answer": json.dumps(answer)})


Connect = Callable[[Running], Client]


@pytest.fixture
def connect() -> Iterator[Connect]:
    clients: list[Client] = []

    def open_client(running: Running) -> Client:
        clients.append(Client(running))
        return clients[-1]

    yield open_client
    for client in clients:
        client.connection.close()


def test_an_event_tells_all_about_the_request(start: Start, connect: Connect) -> None:
    client = connect(start(TEMPLATE))
    event = client.event(
        "GET",
        "/things/a%20b?q=1&q=%C3%BC&empty=",
        Cookie="a=1; b=2",
        X_One="1",
        User_Agent="test",
        X_Forwarded_For="6.6.6.6",
    )
    assert event["version"] == "2.0"
    assert event["routeKey"] == "GET /things/{id}"
    assert event["rawPath"] == "/things/a b"
    assert event["rawQueryString"] == "q=1&q=%C3%BC&empty="
    assert event["queryStringParameters"] == {"q": "1,ü", "empty": ""}
    assert event["pathParameters"] == {"id": "a b"}
    assert event["cookies"] == ["a=1", "b=2"]
    assert event["headers"]["x-one"] == "1" and "cookie" not in event["headers"]
    context = event["requestContext"]
    assert context["http"]["method"] == "GET"
    assert context["http"]["path"] == "/things/a b"
    assert context["http"]["protocol"] == "HTTP/1.1"
    assert context["http"]["sourceIp"] == "127.0.0.1", "a header must not decide it"
    assert context["http"]["userAgent"] == "test"
    assert context["stage"] == "$default"
    assert context["accountId"] == "000000000000"
    assert context["apiId"] == "local-Api"
    assert context["requestId"] and context["timeEpoch"] > 0 and context["time"].endswith("+0000")
    assert event["isBase64Encoded"] is False and "body" not in event


def test_repeated_headers_are_joined_by_a_comma(start: Start, connect: Connect) -> None:
    client = connect(start(TEMPLATE))
    client.connection.putrequest("GET", "/")
    client.connection.putheader("X-Many", "1")
    client.connection.putheader("x-many", "2")
    client.connection.endheaders()
    assert json.loads(client.connection.getresponse().read())["headers"]["x-many"] == "1,2"


@pytest.mark.parametrize("kind", ["application/json", "text/plain; charset=utf-8", "application/problem+json"])
def test_a_text_body_arrives_as_text(start: Start, connect: Connect, kind: str) -> None:
    event = connect(start(TEMPLATE)).event("POST", "/things/1", '{"ü": 1}'.encode(), Content_Type=kind)
    assert (event["body"], event["isBase64Encoded"]) == ('{"ü": 1}', False)


@pytest.mark.parametrize(
    ("kind", "body"),
    [("application/octet-stream", b"\x00\xff"), ("application/x-www-form-urlencoded", b"a=b"), ("text/plain", b"\xff")],
)
def test_any_other_body_arrives_in_base64(start: Start, connect: Connect, kind: str, body: bytes) -> None:
    event = connect(start(TEMPLATE)).event("POST", "/files/x/y", body, Content_Type=kind)
    assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (body, True)
    assert event["pathParameters"] == {"proxy": "x/y"}


@pytest.mark.parametrize(
    ("method", "path", "key"),
    [
        ("GET", "/things/new", "GET /things/new"),
        ("GET", "/things/1", "GET /things/{id}"),
        ("DELETE", "/things/new", "ANY /things/{id}"),
        ("PUT", "/files/a", "ANY /files/{proxy+}"),
    ],
)
def test_the_most_specific_route_wins(start: Start, connect: Connect, method: str, path: str, key: str) -> None:
    assert connect(start(TEMPLATE)).event(method, path)["routeKey"] == key


def test_without_a_route_the_answer_is_404(start: Start, connect: Connect) -> None:
    client = connect(start(TEMPLATE))
    for method, path in [("GET", "/nowhere"), ("POST", "/"), ("GET", "/files/"), ("GET", "/things/1/2")]:
        status, headers, body = client.request(method, path)
        assert (status, json.loads(body)) == (404, {"message": "Not Found"})
        assert headers["content-type"] == "application/json"


def test_a_structured_answer_sets_status_headers_cookies_and_body(start: Start, connect: Connect) -> None:
    client = connect(start(TEMPLATE))
    status, headers, body = client.answer(
        {
            "statusCode": 201,
            "headers": {"X-Number": 7, "Content-Type": "application/octet-stream", "Content-Length": "999"},
            "multiValueHeaders": {"X-Ignored": ["1"]},
            "cookies": ["a=1; HttpOnly", "b=2"],
            "body": base64.b64encode(b"\x00\xff").decode(),
            "isBase64Encoded": True,
        }
    )
    assert (status, body) == (201, b"\x00\xff")
    assert headers["x-number"] == "7" and headers["content-type"] == "application/octet-stream"
    assert headers.get_all("set-cookie") == ["a=1; HttpOnly", "b=2"]
    assert "x-ignored" not in headers and headers["content-length"] == "2"
    assert headers["apigw-requestid"]


@pytest.mark.parametrize(
    ("answer", "body"), [({"a": 1}, b'{"a":1}'), ("text", b"text"), ([1], b"[1]"), (None, b"null")]
)
def test_an_answer_without_a_status_is_json_with_200(start: Start, connect: Connect, answer: Any, body: bytes) -> None:
    status, headers, received = connect(start(TEMPLATE)).answer(answer)
    assert (status, headers["content-type"], received) == (200, "application/json", body)


@pytest.mark.parametrize(
    "answer",
    [
        {"statusCode": "many"},
        {"statusCode": 200, "body": {"not": "text"}},
        {"statusCode": 200, "body": "%", "isBase64Encoded": True},
        {"statusCode": 200, "headers": {"x": "1\r\nset-cookie: forged=1"}},
        {"statusCode": 200, "headers": {"a b": "1"}},
    ],
)
def test_an_answer_that_makes_no_sense_is_a_500(start: Start, connect: Connect, answer: Any) -> None:
    status, headers, body = connect(start(TEMPLATE)).answer(answer)
    assert (status, json.loads(body)) == (500, {"message": "Internal Server Error"})
    assert "set-cookie" not in headers


def test_an_error_of_the_function_is_a_500_without_its_message(start: Start, connect: Connect) -> None:
    status, _, body = connect(start(TEMPLATE)).request("GET", "/raise")
    assert (status, json.loads(body)) == (500, {"message": "Internal Server Error"})


def test_a_function_slower_than_the_integration_timeout_is_a_503_and_runs_on(
    start: Start, connect: Connect, eventually: Eventually
) -> None:
    running = start(
        "Resources:\n  Hold:\n    Type: AWS::Serverless::Function\n    Properties:\n      Handler: app.hold\n"
        "      Events: {A: {Type: HttpApi, Properties: {Path: /, Method: get, TimeoutInMillis: 50}}}\n"
    )
    status, _, body = connect(running).request("GET", "/")
    assert (status, json.loads(body)) == (503, {"message": "Service Unavailable"})
    running.release()
    eventually(lambda: running.notes("span"))


def test_a_throttled_function_is_a_503(start: Start, connect: Connect) -> None:
    template = TEMPLATE.replace("Handler: app.answer", "Handler: app.answer\n      ReservedConcurrentExecutions: 0")
    status, _, body = connect(start(template)).request("GET", "/")
    assert (status, json.loads(body)) == (503, {"message": "Service Unavailable"})


def test_a_request_over_ten_megabytes_is_a_413_before_it_is_read(start: Start, connect: Connect) -> None:
    client = connect(start(TEMPLATE))
    client.connection.putrequest("POST", "/things/1")
    client.connection.putheader("content-length", str(10 * 1024 * 1024 + 1))
    client.connection.endheaders()
    response = client.connection.getresponse()
    assert (response.status, json.loads(response.read())) == (413, {"message": "Request Entity Too Large"})


def test_a_client_that_sends_too_much_all_the_same_still_reads_the_413(start: Start, connect: Connect) -> None:
    status, _, _ = connect(start(TEMPLATE)).request("POST", "/things/1", b"x" * (11 * 1024 * 1024))
    assert status == 413


def test_a_request_that_lambda_would_not_take_is_a_413(start: Start, connect: Connect) -> None:
    status, _, _ = connect(start(TEMPLATE)).request("POST", "/things/1", b"x" * (5 * 1024 * 1024))
    assert status == 413


def test_a_chunked_body_arrives_whole(start: Start, connect: Connect) -> None:
    client = connect(start(TEMPLATE))
    client.connection.request(
        "POST", "/things/1", iter([b"one ", b"two"]), {"content-type": "text/plain"}, encode_chunked=True
    )
    assert json.loads(client.connection.getresponse().read())["body"] == "one two"


def test_head_has_the_headers_and_no_body_and_the_connection_goes_on(start: Start, connect: Connect) -> None:
    client = connect(start(TEMPLATE))
    status, headers, body = client.request("HEAD", "/files/x")
    assert status == 200 and body == b"" and int(headers["content-length"]) > 0
    assert client.event("GET", "/")["routeKey"] == "GET /"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nhost: a\r\nx: " + b"y" * 100_000, b"431"),
    ],
)
def test_malformed_input_is_refused_and_does_not_disturb_others(
    start: Start, connect: Connect, data: bytes, status: bytes
) -> None:
    running = start(TEMPLATE)
    host, _, port = running.runner.http_address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as raw:
        raw.sendall(data)
        assert raw.recv(65536).split(b" ")[1] == status
    assert connect(running).event("GET", "/")["routeKey"] == "GET /"


def test_a_named_stage_is_a_prefix_of_the_path(start: Start, connect: Connect) -> None:
    template = TEMPLATE.replace(
        "AWS::Serverless::HttpApi", "AWS::Serverless::HttpApi\n    Properties: {StageName: prod}"
    )
    client = connect(start(template))
    event = client.event("GET", "/prod/things/1")
    assert event["rawPath"] == "/prod/things/1"
    assert event["routeKey"] == "GET /things/{id}" and event["pathParameters"] == {"id": "1"}
    assert event["requestContext"]["stage"] == "prod"
    assert client.request("GET", "/things/1")[0] == 404


def test_cors_is_answered_by_the_gateway(start: Start, connect: Connect) -> None:
    cors = "{AllowOrigins: ['https://a.example'], AllowMethods: [get], AllowHeaders: [x-token], MaxAge: 60}"
    template = TEMPLATE.replace(
        "AWS::Serverless::HttpApi", f"AWS::Serverless::HttpApi\n    Properties: {{CorsConfiguration: {cors}}}"
    )
    client = connect(start(template))
    preflight = {"origin": "https://a.example", "access-control-request-method": "GET"}
    status, headers, _ = client.request("OPTIONS", "/things/1", headers=preflight)
    assert status == 204
    assert headers["access-control-allow-origin"] == "https://a.example"
    assert headers["access-control-allow-methods"] == "GET"
    assert headers["access-control-allow-headers"] == "x-token"
    assert headers["access-control-max-age"] == "60"
    answer = json.dumps({"statusCode": 200, "headers": {"access-control-allow-origin": "*"}})
    _, headers, _ = client.request("GET", "/", headers={"origin": "https://b.example", "x-answer": answer})
    assert "access-control-allow-origin" not in headers
