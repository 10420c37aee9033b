"""Every threshold of layout: name, default, unit and reason."""
