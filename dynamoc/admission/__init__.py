"""What becomes of a document: webhooks, the cluster that it meets, conversion, and the view of a graph."""
