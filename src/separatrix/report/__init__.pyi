from separatrix.report.page import render as render
from separatrix.report.page import write as write
from separatrix.report.registry import Section as Section
from separatrix.report.registry import Skipped as Skipped
from separatrix.report.registry import section as section
