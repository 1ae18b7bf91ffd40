"""Finding, reading and trusting skills, in a real browser."""

from __future__ import annotations

import httpx
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import RunningStack
from tests.e2e.pages.browser import Visit, sign_in, visiting
from tests.e2e.pages.conftest import github_host, publish


def test_a_skill_is_searched_for_and_found_while_typing(visit: Visit) -> None:
    page = visit.open("/")
    page.get_by_label("Search skills").press_sequentially("release no")
    page.wait_for_url("**/?q=release+no")
    expect(page.locator(".result h3 a").first).to_have_text("release-notes")
    page.get_by_role("link", name="release-notes", exact=True).click()
    expect(page.get_by_role("heading", name="release-notes", level=1)).to_be_visible()
    expect(page.get_by_text("npx skills add").first).to_be_visible()


def test_a_filter_is_in_the_address_can_be_shared_and_gone_back_from(visit: Visit) -> None:
    page = visit.open("/?q=csv")
    page.get_by_role("link", name="With scripts").click()
    page.wait_for_url("**/?q=csv&scripts=yes")
    shared = page.url
    found = page.locator(".result h3").all_inner_texts()
    assert any("csv-summary" in name for name in found)
    other = visit.context.new_page()
    other.goto(shared)
    assert other.locator(".result h3").all_inner_texts() == found
    other.close()
    page.go_back()
    page.wait_for_url("**/?q=csv")
    expect(page.get_by_label("Search skills")).to_have_value("csv")


def test_typing_is_one_step_back(visit: Visit) -> None:
    page = visit.open("/queue")
    page.goto(visit.address + "/")
    page.get_by_label("Search skills").press_sequentially("changelog", delay=220)
    page.wait_for_url("**/?q=changelog")
    page.go_back()
    page.wait_for_url(visit.address + "/")
    expect(page.get_by_label("Search skills")).to_have_value("")
    page.go_back()
    page.wait_for_url("**/queue")


def test_skills_of_one_repository_are_grouped(visit: Visit) -> None:
    page = visit.open("/?q=writing-desk")
    expect(page.get_by_role("link", name="6 skills in example-org/writing-desk")).to_be_visible()
    page.get_by_role("link", name="6 skills in example-org/writing-desk").click()
    expect(page.locator(".result")).to_have_count(6)
    expect(page.get_by_text("Everything was scanned at the newest commit")).to_be_visible()


def test_a_typo_still_finds_and_an_unknown_repository_can_be_submitted(visit: Visit) -> None:
    page = visit.open("/?q=chagnelog")
    expect(page.locator(".result h3 a").first).to_have_text("changelog")
    expect(page.get_by_text("This is what comes close")).to_be_visible()
    visit.open("/?q=nobody-here/nothing-there")
    page.get_by_role("link", name="Submit nobody-here/nothing-there").click()
    expect(page.get_by_label("Repository on GitHub")).to_have_value("nobody-here/nothing-there")


def test_the_install_command_is_copied_and_names_the_commit(visit: Visit, stack: RunningStack) -> None:
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=stack.address)
    page = visit.open("/skills/acme-labs/csv-tools/csv-summary")
    page.get_by_role("button", name="From GitHub, pinned").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    sha = httpx.get(f"{stack.address}/api/v1/skills/acme-labs/csv-tools/csv-summary", timeout=30).json()["skill"]["sha"]
    assert copied == f"npx skills add https://github.com/acme-labs/csv-tools/tree/{sha}/skills/csv-summary"


def test_script_tags_in_a_name_and_in_skill_md_run_nowhere(visit: Visit, stack: RunningStack) -> None:
    attack = "<script>window.attacked = true</script>"
    text = (
        f"---\nname: '{attack}'\ndescription: 'Says <img src=x onerror=window.attacked=1> and {attack}'\n---\n"
        f"# Greeter {attack}\nSay hello. {attack} <img src=x onerror='window.attacked=1'> "
        "[a link](javascript:window.attacked=1)\n"
    )
    visit.page.add_init_script("window.alert = () => { window.attacked = true; }")
    publish(stack, "nightfall-demo/greeter", {"skills/greeter/SKILL.md": text}, name=attack)
    for path in (
        "/skills/nightfall-demo/greeter/greeter",
        "/skills/nightfall-demo/greeter/greeter/security",
        "/?q=greeter",
        "/queue?q=greeter",
        "/repos/nightfall-demo/greeter",
    ):
        page = visit.open(path)
        expect(page.locator("main").get_by_text("window.attacked = true").first).to_be_visible()
        for link in page.locator("main a[href^='javascript:' i]").all():
            raise AssertionError(link.inner_html())
        assert page.evaluate("window.attacked") is None, path


def test_a_blocked_skill_is_a_tombstone_with_its_reason(operator: Visit, stack: RunningStack) -> None:
    publish(
        stack, "nightfall-demo/turncoat", {"SKILL.md": "---\nname: turncoat\ndescription: Says hello.\n---\nHello.\n"}
    )
    page = operator.open("/admin/blocklist")
    page.get_by_label("Repository").fill("nightfall-demo/turncoat")
    page.get_by_label("Reason").first.fill("It sends what it reads to a stranger.")
    page.get_by_role("button", name="Block", exact=True).click()
    expect(page.get_by_text("Done: 1.")).to_be_visible()
    operator.open("/skills/nightfall-demo/turncoat/turncoat")
    expect(page.get_by_text("It sends what it reads to a stranger.")).to_be_visible()
    expect(page.get_by_text("npx skills add")).to_have_count(0)


def test_an_author_disputes_a_finding_and_an_operator_sees_it(
    browser: Browser, operator: Visit, stack: RunningStack
) -> None:
    with visiting(browser, stack.address, hosts=[github_host(stack)]) as author:
        sign_in(author, "example-org")
        page = author.open("/skills/example-org/security-classroom/attack-lessons/security")
        page.get_by_text("Dispute this finding").first.click()
        page.get_by_label("Why is it wrong?").first.fill("The command is quoted in a lesson.")
        page.get_by_role("button", name="Send").first.click()
        expect(page.get_by_text("Your dispute was noted")).to_be_visible()
        assert not author.errors
    page = operator.open("/admin/disputes")
    expect(page.get_by_text("The command is quoted in a lesson.")).to_be_visible()
