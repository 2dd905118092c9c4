"""Replies that take their numbers back, or say what they are of, in other languages than English.

German, French, Spanish, Portuguese, Italian, Chinese, Japanese, Korean, Russian: "bitte ignorieren Sie die obigen
Zahlen", "以上数字作废". With a denial ("nicht ignorieren", "nicht nur für das Skelett") nothing is taken back.
"""

from __future__ import annotations

from trueness.patterns import late

FOREIGN_WORDS = frozenset(  # as far as they are written without accents
    "ignorieren ignoriere vergessen vergiss verwerfen verwirf verwenden ziehe nehme falsch ignorez ignorer oubliez "
    "oublier compte retire annule ignore ignora ignoren olvide olvida descarte desestime cuenta retiro desconsidere "
    "desconsiderem ignorare ignori ignorate dimenticate dimentica ritiro skelett skeletts ungerichteten squelette "
    "esqueleto scheletro".split()
)
_NUMBERS = (
    r"\b(?:zahlen|werte|angaben|schätzung(?:en)?|bereiche|intervalle|antwort|tabelle|ergebnisse|prognosen?|vorhersagen?"
    r"|chiffres|valeurs|estimations?|réponse|tableau|nombres|prévisions?|fourchettes"
    r"|valores|números|cifras|estimaci(?:ón|ones)|rangos|intervalos|respuesta|tabla|predicci(?:ón|ones)"
    r"|estimativas?|resposta|tabela|previs(?:ão|ões)|valori|numeri|stime|stima|intervalli|risposta|tabella)\b"
)
_NEAR = rf"[^.\n]{{0,30}}{_NUMBERS}"
_RUSSIAN = r"[^.\n]{0,30}(?:числ|значени|оценк|диапазон|ответ|цифр)"
_BACK = late(
    rf"\b(?:ignorieren|ignoriere|vergessen|vergiss|verwerfen|verwirf)\b(?: sie)?{_NEAR}(?![^.\n]*\bnicht\b)"
    rf"|verwenden sie{_NEAR}[^.\n]{{0,10}} nicht\b|ich (?:ziehe|nehme)[^.\n]{{0,40}} zurück"
    rf"|{_NUMBERS}[^.\n]{{0,20}} (?:sind|ist) (?:ungültig|hinfällig|falsch)\b"
    rf"|(?<!pas )\b(?:ignorez|oubliez|ignorer|oublier)\b(?! pas){_NEAR}"
    rf"|(?:ne pas tenir|ne tenez pas|ne pas prendre en) compte{_NEAR}|je (?:retire|annule)\b"
    rf"|(?<!no )\b(?:ignore|ignora|ignoren|olvide|olvida|descarte|desestime)\b{_NEAR}"
    rf"|\bno (?:tenga|tengan|tome) en cuenta{_NEAR}|\bretiro (?:est|l[ao]s|mi|ess|a )"
    rf"|(?<!não )\b(?:desconsiderem?|esqueça)\b{_NEAR}"
    rf"|(?<!non )\b(?:ignorare|ignori|ignorate|dimenticate|dimentica)\b{_NEAR}|\britiro (?:quest|l[ae]|i )"
    r"|(?<!不要)(?<!不能)(?<!不应)(?<!不会)(?<!不)(?:忽略|无视|撤回|收回|作废|忘掉)[^。\n]{0,8}(?:以上|上面|上述|前面|这些|我的)"
    r"|(?:以上|上面|上述|前面|这些)[^。\n不]{0,12}(?:作废|无效|撤回|收回|不算数|请忽略|请无视|不要使用|不要采用)"
    r"|(?:上記|以上|前述|これら)[^。\n]{0,14}(?:無視して(?!い)|取り消|撤回|無効)"
    r"|(?:위의?|앞의|이) [^.\n]{0,14}(?:무시해|무시하(?!지)|철회|취소|무효)"
    rf"|(?<!не )(?:игнорируйте|забудьте|отзываю){_RUSSIAN}|не (?:учитывайте|используйте){_RUSSIAN}"
)
_SCOPE = late(
    rf"{_NUMBERS}(?P<latin>[^.\n]{{0,60}}?)\b(?:skelett\w{{0,3}}|ungerichtete[nr]?|squelette|esqueleto|scheletro)\b"
    r"|(?:以上|上述|上面|这些|所有)(?P<signs>[^。\n]{0,14}?)(?:骨架|无向图)"
)
_NOT = late(r"nicht|pas\b|sondern|\bno solo|non solo|não só|不|orient|richtung|direcci|dirig")
_SIGNS = late(
    "忽略|无视|撤回|收回|作废|忘掉|无效|不算数|不要|骨架|无向|無視|取り消|無効"
    "|무시|철회|취소|무효|игнор|забудьте|отзываю|учитыв|использ"
)


def may_end_in_signs(view: str) -> bool:
    """A cheap look at replies in other scripts before the careful one."""
    return _SIGNS.search(view) is not None


def foreign_ending(text: str) -> tuple[int, bool] | None:
    """Where a sentence takes numbers back or (True) says that they are of the skeleton; None where it does neither."""
    match = _BACK.search(text)
    if match is not None:
        return match.start(), False
    scoped = _SCOPE.search(text)
    if scoped is None or _NOT.search(scoped.group("latin") or scoped.group("signs") or ""):
        return None
    return scoped.start(), True
