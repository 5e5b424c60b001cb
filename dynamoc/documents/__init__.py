"""Text in and out: files to documents, findings, schemas, what an API server refuses, and writers of objects."""
