"""OperatorConfiguration of release 1.5, as differences to release 1.4 (api/config/v1alpha1/types.go)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dynamoc.api import operator_configuration as base
from dynamoc.api.base import Gone
from dynamoc.api.release_1_4 import configuration as before


class Infrastructure(base.Infrastructure):
    """Services that components use, and where in their containers the keys for TLS are."""

    nats_tls_ca_path: Annotated[str | None, Field(alias="natsTLSCAPath")] = None
    nats_tls_client_cert_path: Annotated[str | None, Field(alias="natsTLSClientCertPath")] = None
    nats_tls_client_key_path: Annotated[str | None, Field(alias="natsTLSClientKeyPath")] = None
    tcp_tls_cert_path: Annotated[str | None, Field(alias="tcpTLSCertPath")] = None
    tcp_tls_key_path: Annotated[str | None, Field(alias="tcpTLSKeyPath")] = None
    tcp_tls_ca_path: Annotated[str | None, Field(alias="tcpTLSCAPath")] = None
    tcp_tls_client_cert_path: Annotated[str | None, Field(alias="tcpTLSClientCertPath")] = None
    tcp_tls_client_key_path: Annotated[str | None, Field(alias="tcpTLSClientKeyPath")] = None
    tcp_tls_client_ca_path: Annotated[str | None, Field(alias="tcpTLSClientCAPath")] = None
    tcp_tls_server_name: Annotated[str | None, Field(alias="tcpTLSServerName")] = None


class Checkpoint(before.Checkpoint):
    """Whether workers are checkpointed; where to is what the snapshot operator knows."""

    storage: Gone = None
    cleanup_image: Gone = None


class OperatorConfiguration(before.OperatorConfiguration):
    """What the operator is told at its start."""

    infrastructure: Infrastructure | None = None
    checkpoint: Checkpoint | None = None
