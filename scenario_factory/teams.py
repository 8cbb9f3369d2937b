"""Who works on a generation, from the models that were named for it."""

from dilemma_kernel.ports import ChatModel
from scenario_factory.authors.models import ModelAuditor, ModelDiscriminator, ModelRewriter, ModelWriter
from scenario_factory.composer.writer import Composer
from scenario_factory.presets import Preset
from scenario_factory.roles import Team
from scenario_factory.rules.audit import RulesAuditor
from scenario_factory.rules.discriminator import RulesDiscriminator

COMPOSER, RULES = "composer", "rules"
"""Names of the writer and of the judges that need no model."""


def team_of(
    rules: Preset,
    *,
    writer: ChatModel | None = None,
    discriminator: ChatModel | None = None,
    audit: ChatModel | None = None,
    rewriter: ChatModel | None = None,
) -> Team:
    """The team of a generation.

    Args:
        rules: temperatures and the bound on replies.
        writer: a model; the composer where None, which then rewrites as well.
        discriminator: a model; the rules where None.
        audit: a model; the rules where None.
        rewriter: a model; the writer where None.
    """
    composer = Composer()
    author = writer if rewriter is None else rewriter
    return Team(
        writer=ModelWriter(writer, rules) if writer is not None else composer,
        rewriter=ModelRewriter(author, rules) if writer is not None and author is not None else composer,
        discriminator=ModelDiscriminator(discriminator, rules) if discriminator is not None else RulesDiscriminator(),
        auditor=ModelAuditor(audit, rules) if audit is not None else RulesAuditor(),
    )
