"""The rule-based discriminator and auditor. They read the texts alone, whoever wrote them."""
