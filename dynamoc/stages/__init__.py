"""What one document goes through, from what the user wrote to what the operator makes of it."""
