"""Where a provider is reached, and which environment variable holds its key."""

from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

from dilemma_kernel.errors import MissingKeyError
from dilemma_kernel.models.config import ModelConfig, ModelEntry

KEYS: Mapping[str, tuple[str, ...]] = {
    "ai21": ("AI21_API_KEY",),
    "ai21_chat": ("AI21_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_KEY",),
    "azure_ai": ("AZURE_AI_API_KEY",),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY",),
    "cohere_chat": ("COHERE_API_KEY",),
    "dashscope": ("DASHSCOPE_API_KEY",),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "huggingface": ("HUGGINGFACE_API_KEY", "HF_TOKEN"),
    "mistral": ("MISTRAL_API_KEY",),
    "moonshot": ("MOONSHOT_API_KEY",),
    "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "replicate": ("REPLICATE_API_KEY",),
    "sambanova": ("SAMBANOVA_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY"),
    "xai": ("XAI_API_KEY",),
}
"""Provider -> variables that may hold its key, the first one named in errors. Any other provider is asked without a
check: it may need no key, or have credentials of its own kind."""

SELF_HOSTED = frozenset({"custom_openai", "hosted_vllm", "llamafile", "lm_studio", "ollama", "ollama_chat", "openai"})
"""Providers whose endpoint may be anyone's server, of which no list of models knows anything."""

PLACEHOLDER_KEY = "none"
"""Sent to an endpoint of one's own that has no key, for clients refuse to send nothing."""


def endpoint(provider: str, entry: ModelEntry, config: ModelConfig) -> str | None:
    """The base URL that a person gave: the entry's, else the environment's; None for the provider's own."""
    names = (f"{provider.upper()}_BASE_URL", f"{provider.upper()}_API_BASE")
    return entry.api_base or next(filter(None, map(config.variable, names)), None)


def shown(url: str) -> str:
    """``url`` without user, password, query and fragment, which may hold a key."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))


def key_variable(provider: str, entry: ModelEntry, config: ModelConfig) -> str:
    """The variable that holds the key of a provider, or that should: the entry's, else the first one that is set."""
    variables = (entry.api_key_env,) if entry.api_key_env else KEYS.get(provider, (f"{provider.upper()}_API_KEY",))
    return next(filter(config.variable, variables), variables[0])


def key(provider: str, name: str, entry: ModelEntry, config: ModelConfig, url: str | None) -> str | None:
    """The key to send.

    Args:
        provider: such as ``openai``.
        name: the model as it was asked for, for the error.
        entry: may name the variable.
        config: holds the environment.
        url: the endpoint that a person gave, if any.

    Raises:
        MissingKeyError: the variable that must hold it is missing or empty.
    """
    variable = key_variable(provider, entry, config)
    found = config.variable(variable)
    if found is not None:
        return found
    if entry.api_key_env or (provider in KEYS and url is None):
        state = "empty" if variable in config.environ else "not set"
        raise MissingKeyError(f"{name} needs a key, and {variable} is {state}: set it in the environment")
    return PLACEHOLDER_KEY if url is not None or provider in SELF_HOSTED else None
