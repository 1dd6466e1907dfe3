"""What others rely on: public names, help texts, tool declarations, errors, the JSON of results."""
