"""Chromium without a screen, by selenium; tests skip where one of them is not installed."""

import shutil
import time

import pytest

SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1300,1000")
WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def browser(*switches):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    found = shutil.which("chromium"), shutil.which("chromedriver")
    if None in found:
        pytest.skip("there is no chromium with its chromedriver on the PATH")
    options = webdriver.ChromeOptions()
    for switch in (*SWITCHES, *switches):
        options.add_argument(switch)
    options.binary_location = found[0]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(found[1]))


def waited(driver, script, seconds=20):
    """The value of a script as soon as it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = driver.execute_script(script)
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"never true: {script}")


def severe(driver):
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def mouse(driver, *steps):
    """Move to each place in the window; "down" and "up" press and let go."""
    builder = pytest.importorskip("selenium.webdriver.common.action_chains").ActionBuilder(driver, duration=0)
    for step in steps:
        if step == "down":
            builder.pointer_action.pointer_down()
        elif step == "up":
            builder.pointer_action.pointer_up()
        else:
            builder.pointer_action.move_to_location(*step)
    builder.perform()
