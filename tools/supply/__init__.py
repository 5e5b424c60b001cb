"""What is shipped: the wheel, the image, the zip file, and the pages and data that come from other projects."""
