"""The documents behind an emulator's searches: a folder, something of one's own, or the bundled ones."""

from __future__ import annotations

from pathlib import Path

from groundwire.emulator.corpora import BundledDocuments, FolderDocuments, documents_from


def test_the_bundled_documents_know_the_weather_in_two_languages() -> None:
    found = BundledDocuments()
    assert found.find("weather in Beijing", 3)[0].url == "https://weather.example.org/beijing"
    assert found.find("北京天气", 3)[0].title == "北京天气"


def test_a_folder_is_indexed_when_first_searched(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# Tea\n\nGreen tea is steeped at 70 degrees.\n", encoding="utf-8")
    documents = FolderDocuments(tmp_path)
    assert documents.find("green tea", 2)[0].title == "Tea"
    documents.close()


def test_a_repeated_search_does_not_ask_the_index_again(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# Tea\n\nGreen tea is steeped at 70 degrees.\n", encoding="utf-8")
    documents = FolderDocuments(tmp_path)
    first = documents.find("green tea", 2)
    assert documents.find("green tea", 2) is first
    documents.close()


def test_anything_with_find_is_taken_as_it_is(tmp_path: Path) -> None:
    own = BundledDocuments()
    assert documents_from(own) is own
    assert isinstance(documents_from(str(tmp_path)), FolderDocuments)
    assert isinstance(documents_from(None), BundledDocuments)
