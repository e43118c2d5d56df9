"""Where a request comes from, and which addresses count as one."""

import pytest

from ludus.errors import LudusError
from ludus.server.state import ServerSettings
from ludus.server.web.addresses import TrustedProxies, client_address, network_key


def test_addresses_are_counted_by_host_and_by_network() -> None:
    assert network_key("192.0.2.7") == "192.0.2.7"
    assert network_key("::ffff:192.0.2.7") == "192.0.2.7"
    assert network_key("2001:db8::1") == network_key("2001:db8::ffff:1") == "2001:db8::/64"
    assert network_key("2001:db8:0:1::1") != network_key("2001:db8::1")
    assert network_key("fe80::1%eth0") == "fe80::/64"


def test_only_a_trusted_proxy_says_who_asks() -> None:
    said = [(b"x-forwarded-for", b"203.0.113.1, 198.51.100.7"), (b"x-forwarded-for", b"10.0.0.2")]
    proxies = TrustedProxies(["10.0.0.0/8"])
    assert client_address("192.0.2.1", said, proxies) == "192.0.2.1"
    assert client_address("10.0.0.1", said, proxies) == "198.51.100.7"
    assert client_address("10.0.0.1", [], proxies) == "10.0.0.1"
    assert ServerSettings().trusted_proxies == ()
    assert "127.0.0.1" in ServerSettings(host_names=("arena.example.org",)).trusted_proxies
    with pytest.raises(LudusError, match="--proxy"):
        TrustedProxies(["nonsense"])
