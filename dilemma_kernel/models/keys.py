"""The key of a call: a hash of everything that shapes its reply."""

import hashlib
import json

from pydantic_core import PydanticSerializationError

from dilemma_kernel.records import ChatRequest


def call_key(study: str, identity: str, request: ChatRequest) -> str:
    """SHA-256, in hex, over the study, the model's identity and the whole request, its context included.

    Two requests that differ in any field have different keys; the text hashed is the JSON of all fields in the
    order of the record, so the parameters of equal tools must come in equal order.
    """
    digest = hashlib.sha256(json.dumps([study, identity]).encode())
    try:
        digest.update(request.json_text.encode())
    except (PydanticSerializationError, UnicodeEncodeError):  # a lone surrogate in a person's own text
        digest.update(json.dumps(request.model_dump(mode="python")).encode())
    return digest.hexdigest()
