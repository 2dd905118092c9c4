"""What people see of a study: numbers first, then charts, tables and files. It reads tables and runs nothing."""
