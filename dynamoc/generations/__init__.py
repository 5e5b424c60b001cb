"""Documents of Dynamo 0.1 to 0.3: what they are, what is wrong with them, and the graphs that people write today.

Their operators took the services, their commands and their images from an archive in a store. So they are not rendered.
Source: deploy/dynamo/operator of 26fe79dc3^ (0.1), deploy/cloud/operator of 0e7d4d829 (0.2).
"""
