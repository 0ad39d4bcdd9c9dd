"""Asks a gRPC listener with the published stubs. A line of JSON in, a line of JSON out, until the input ends."""

import json
import sys

import grpc
from envoy.service.ratelimit.v3 import rls_pb2, rls_pb2_grpc
from google.protobuf import json_format
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

SECONDS_MAX = 30

if len(sys.argv) > 2:
    authority = open(sys.argv[2], "rb").read()
    channel = grpc.secure_channel(sys.argv[1], grpc.ssl_channel_credentials(authority))
else:
    channel = grpc.insecure_channel(sys.argv[1])
limits = rls_pb2_grpc.RateLimitServiceStub(channel)
health = health_pb2_grpc.HealthStub(channel)


def in_full(message):
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def should_rate_limit(asked):
    request = json_format.ParseDict(asked, rls_pb2.RateLimitRequest())
    return in_full(limits.ShouldRateLimit(request, timeout=SECONDS_MAX))


def is_healthy(service):
    request = health_pb2.HealthCheckRequest(service=service)
    return in_full(health.Check(request, timeout=SECONDS_MAX))


def services(_):
    return sorted(ProtoReflectionDescriptorDatabase(channel).get_services())


def fields(message):
    """The fields of a message as the server describes them, by number."""
    from google.protobuf.descriptor_pool import DescriptorPool

    pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    return {field.name: field.number for field in pool.FindMessageTypeByName(message).fields}


DEEDS = {
    "should_rate_limit": should_rate_limit,
    "is_healthy": is_healthy,
    "services": services,
    "fields": fields,
}

for line in sys.stdin:
    deed, asked = json.loads(line)
    try:
        answer = DEEDS[deed](asked)
    except grpc.RpcError as error:
        answer = {"error": error.code().name, "details": error.details()}
    print(json.dumps(answer), flush=True)
