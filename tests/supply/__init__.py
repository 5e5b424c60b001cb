"""What dynamoc brings along: its dependencies, their licences, and the wheel."""
