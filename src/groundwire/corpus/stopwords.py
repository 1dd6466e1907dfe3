"""The words a question has whatever it is about: left out of a search when other words remain."""

from __future__ import annotations

import re

_ENGLISH = """
a about am an and any are as at be been being but by can could did do does doing for from get give had has
have having he her here him his how i if in into is it its just let ll m may me might my no not of off on or
our out please re s shall she should so some such t tell than that the their them then there these they this
those to too up us ve very was we were what when where which while who whom whose why will with would you your
"""

_OTHER_LATIN = """
au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur mais ou par pas pour
qu que quel quelle quels quelles qui quoi sont sur un une vous
aber als auf aus bei das dem den der des die ein eine einen einem einer es fur ich ihr im ist mit nicht oder
sich sie sind und von war warum was wer wie wir wird wo zu zum zur
al como con cual cuando de del donde el ella ellos en es esta la las lo los mas para pero por que quien se son
su sus un una y
"""

_CYRILLIC = """
в во где для за и из или как какая какие какой когда кто на не о об от по почему с со такое у что это
"""

STOP_WORDS = frozenset(f"{_ENGLISH} {_OTHER_LATIN} {_CYRILLIC}".split())

QUESTION_PHRASES = re.compile(
    # Longest first within each language. Phrases of scripts without spaces, so no word boundaries.
    "请告诉我|请问一下|告诉我|怎么样|为什么|是什么|什么是|有哪些|如何|怎么|什么|请问|多少|哪里|哪些|吗|呢|的"
    "|請告訴我|怎麼樣|為什麼|是什麼|什麼是|怎麼|什麼|請問|嗎"
    "|を教えてください|について教えて|教えてください|とは何ですか|はどうですか|は何ですか|どうですか|何ですか"
    "|を教えて|ですか|ますか|について|とは|どうやって|なぜ|どこ"
    "|무엇입니까|무엇인가요|어떻습니까|어때요|어떤가요|알려주세요|인가요"
    "|คืออะไร|เป็นอย่างไร|อย่างไร|อะไร|ไหม"
)
