"""Validates FHIR resources against the R4 definitions (4.0.1) of the package fhir.resources.

usage: validate.py < LINES    each line is a resource or a Bundle (JSON); prints a line for each error
"""
import json
import sys

import fhir.resources
from fhir.resources import construct_fhir_element

assert fhir.resources.__fhir_version__ == "4.0.1", "not R4"
for number, line in enumerate(sys.stdin, 1):
    resource = json.loads(line)
    try:
        construct_fhir_element(resource["resourceType"], resource)
    except Exception as error:  # the package raises several kinds
        print(f"line {number}: {error}")
