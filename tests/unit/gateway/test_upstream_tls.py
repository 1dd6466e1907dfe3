"""Kept connections over TLS: a server is checked, and asked only when it is who it says it is."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from groundwire.errors import ConnectFailed
from groundwire.gateway.connecting import tls_context
from groundwire.gateway.upstream_pool import UpstreamPool
from groundwire.transport.base import Request
from tests.unit.gateway.raw_http import answer, read_request


def certificate(folder: Path, address: str) -> tuple[Path, Path]:
    """A certificate for an address of this machine that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    certificate_file.write_bytes(made.public_bytes(pem))
    plain = serialization.NoEncryption()
    key_file.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return certificate_file, key_file


@asynccontextmanager
async def secure_server(certificate_file: Path, key_file: Path) -> AsyncIterator[tuple[str, list[int]]]:
    """A server that counts its visits."""
    visits: list[int] = []

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append(1)
        for _ in range(3):
            await read_request(reader)
            writer.write(answer(b"secret"))
            await writer.drain()
        writer.close()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    server = await asyncio.start_server(visit, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", visits


async def test_a_trusted_server_is_asked_over_one_kept_connection(tmp_path: Path) -> None:
    ca_file, key_file = certificate(tmp_path, "127.0.0.1")
    async with secure_server(ca_file, key_file) as (url, visits):
        async with UpstreamPool(tls=lambda: tls_context(str(ca_file))) as pool:
            for _ in range(3):
                response = await pool.send(Request("GET", url))
                assert await response.read() == b"secret"
        assert len(visits) == 1


async def test_a_server_that_nobody_vouches_for_is_not_asked(tmp_path: Path) -> None:
    async with secure_server(*certificate(tmp_path, "127.0.0.1")) as (url, visits):
        async with UpstreamPool(tls=lambda: tls_context(None)) as pool:
            with pytest.raises(ConnectFailed, match=r"certificate .* cannot be trusted.*SSL_CERT_FILE"):
                await pool.send(Request("GET", url))
        assert not visits


async def test_a_certificate_for_another_address_is_not_enough(tmp_path: Path) -> None:
    ca_file, key_file = certificate(tmp_path, "127.0.0.2")
    async with secure_server(ca_file, key_file) as (url, visits):
        async with UpstreamPool(tls=lambda: tls_context(str(ca_file))) as pool:
            with pytest.raises(ConnectFailed, match=r"127\.0\.0\.1"):
                await pool.send(Request("GET", url))
        assert not visits
