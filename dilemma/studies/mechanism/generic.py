"""Everyday prompts that have nothing to do with the suite: what an intervention should leave alone."""

from dilemma_kernel.models.transformers import LoadedModel
from dilemma_kernel.records import Message

EVERYDAY = (
    "What is the capital of Portugal?",
    "Explain how rainbows form, in two sentences.",
    "Write a short poem about the sea in winter.",
    "How do I boil an egg so that the yolk stays soft?",
    "Translate 'good morning, everyone' into Spanish.",
    "Give me three names for a grey cat.",
    "What is the difference between a virus and a bacterium?",
    "Summarise the plot of Romeo and Juliet in one sentence.",
    "How many minutes are there in a week?",
    "Suggest a warm-up before a five-kilometre run.",
    "Write a Python function that reverses a list.",
    "Why is the sky blue?",
    "Recommend a vegetable that grows well in the shade.",
    "What should I pack for a weekend in the mountains?",
    "Explain what inflation is to a ten-year-old.",
    "List the planets of the solar system in order.",
    "How does a bicycle stay upright?",
    "Write a polite note to thank a neighbour for watering the plants.",
    "What is the square root of 144?",
    "Describe the taste of cinnamon.",
    "Which instruments are in a string quartet?",
    "How do bees make honey?",
    "Give me a synonym for 'quick'.",
    "What time zone is Tokyo in?",
    "Draft a subject line for an invitation to a picnic.",
    "How do I remove a coffee stain from a cotton shirt?",
    "What does the word 'ephemeral' mean?",
    "Name two rivers that flow through Germany.",
    "Explain the offside rule in football.",
    "What is a good first book to read about astronomy?",
    "How long does it take to drive 300 kilometres at 100 kilometres an hour?",
    "Write one line of dialogue for a friendly robot.",
)


def generic_prompts(loaded: LoadedModel) -> list[str]:
    """The everyday prompts, rendered by the model's own template without a system text."""
    return [loaded.render((Message(role="user", content=text),)) for text in EVERYDAY]
