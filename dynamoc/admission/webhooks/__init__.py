"""What the operator's webhooks default and refuse in users' documents."""
