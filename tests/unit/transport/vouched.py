"""Certificates for tests: a site's own, and the authority that vouches for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_PEM = serialization.Encoding.PEM


def vouched(folder: Path, host: str) -> tuple[Path, Path, Path]:
    """The files of an authority, of the certificate it gave to a host, and of the host's key."""
    authority, site = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    above = _made("an authority", authority, "an authority", authority, x509.BasicConstraints(True, None))
    names = x509.SubjectAlternativeName([x509.DNSName(host)])
    below = _made(host, site, "an authority", authority, names)
    key = site.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    files = {"authority.pem": above, "site.pem": below, "key.pem": key}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / "authority.pem", folder / "site.pem", folder / "key.pem"


def _made(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    signer: ec.EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
) -> bytes:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(extension, False)
    )
    return builder.sign(signer, hashes.SHA256()).public_bytes(_PEM)


def _name(words: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, words)])
