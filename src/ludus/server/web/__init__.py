"""HTTP and WebSockets: the application, its limits and its errors."""
