"""The HTTP server against clients that are slow or leave."""

import asyncio

from local.runner.http_server import HttpServer, Limits, Request, Response, listen


async def echo(request: Request) -> Response:
    return Response(200, (), request.body)


async def exchange(limits: Limits, *parts: bytes) -> bytes:
    """Sends the parts and returns all that comes back until the server closes the connection."""
    server, listener = HttpServer(echo, limits), listen("127.0.0.1")
    port = listener.getsockname()[1]
    await server.start(listener)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        return await asyncio.wait_for(reader.read(), 30)
    finally:
        writer.close()
        await writer.wait_closed()
        await server.stop()


def test_a_client_that_does_not_finish_its_head_is_dropped() -> None:
    answer = asyncio.run(exchange(Limits(idle_seconds=0.05), b"GET / HTTP/1.1\r\nhost:"))
    assert answer == b""


def test_a_client_that_does_not_finish_its_body_gets_a_408() -> None:
    head = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n"
    answer = asyncio.run(exchange(Limits(body_seconds=0.05), head, b"half"))
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_chunked_body_over_the_limit_gets_a_413() -> None:
    head = b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
    answer = asyncio.run(exchange(Limits(body_bytes=10), head, b"8\r\n12345678\r\n", b"8\r\n12345678\r\n"))
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_client_that_waits_for_leave_to_send_gets_it() -> None:
    head = b"POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: 4\r\n\r\n"
    answer = asyncio.run(exchange(Limits(), head, b"body"))
    assert answer.startswith(b"HTTP/1.1 100 ") and answer.endswith(b"body")


def test_requests_that_come_in_one_packet_are_answered_in_order() -> None:
    first = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\none"
    last = b"POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 3\r\n\r\ntwo"
    answer = asyncio.run(exchange(Limits(), first + last))
    assert answer.count(b"HTTP/1.1 200 ") == 2
    assert answer.index(b"one") < answer.index(b"two")
