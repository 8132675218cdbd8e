// The same kind of table in the encodings of many countries, as spreadsheets there write it: made with
// `iconv -f UTF-8 -t ENCODING//TRANSLIT`. Bytes are Base64.

export const TABLES: Readonly<Record<string, string>> = {
  ja: 'ファイル名,商品,タグ\nガイドブック.pdf,東京の地図,旅行\n練習帳.pdf,日本語の文法,学習\n楽譜.pdf,春の海,音楽\n',
  zh: '文件名,产品,标签\n指南.pdf,北京地图,旅行\n练习册.pdf,中文语法,学习\n乐谱.pdf,春江花月夜,音乐\n',
  zhtw: '檔案名稱,商品,標籤\n指南.pdf,臺北地圖,旅行\n練習冊.pdf,國語文法,學習\n樂譜.pdf,望春風,音樂\n',
  ko: '파일명,상품,태그\n안내서.pdf,서울 지도,여행\n연습장.pdf,한국어 문법,학습\n악보.pdf,아리랑,음악\n',
  ru: 'имя файла,товар,метки\nПутеводитель.pdf,Карта Москвы,путешествие\nТетрадь.pdf,Русская грамматика,учёба\nНоты.pdf,Песни весны,музыка\n',
  pl: 'nazwa pliku,produkt,tagi\nPrzewodnik.pdf,Mapa Łodzi i Gdańska,podróże\nĆwiczenia.pdf,Gramatyka dla dzieci żółta,książki\nNuty.pdf,Pieśni wiosny źródła,muzyka\n',
  cs: 'název souboru,produkt,štítky\nPrůvodce.pdf,Mapa Plzně a Třebíče,cestování\nCvičebnice.pdf,Česká řeč,učení\n',
  hu: 'fájlnév,termék,címkék\nÚtikönyv.pdf,Győr térképe,utazás\nGyűjtemény.pdf,Őszi dalok könyve,zene\n',
  el: 'όνομα αρχείου,προϊόν,ετικέτες\nΟδηγός.pdf,Χάρτης της Αθήνας,ταξίδι\nΑσκήσεις.pdf,Ελληνική γραμματική,μάθηση\n',
  tr: 'dosya adı,ürün,etiketler\nRehber.pdf,İstanbul haritası,seyahat\nAlıştırma.pdf,Türkçe dilbilgisi,öğrenim\nŞarkılar.pdf,Güneşli günler,müzik\n',
  he: 'שם קובץ,מוצר,תגיות\nמדריך.pdf,מפת ירושלים,טיול\nתרגילים.pdf,דקדוק עברי,לימוד\n',
  ar: 'اسم الملف,المنتج,الوسوم\nدليل.pdf,خريطة القاهرة,سفر\nتمارين.pdf,قواعد اللغة العربية,تعلم\n',
  th: 'ชื่อไฟล์,สินค้า,แท็ก\nคู่มือ.pdf,แผนที่กรุงเทพ,การเดินทาง\nแบบฝึกหัด.pdf,ไวยากรณ์ไทย,การเรียนรู้\n',
  fr: 'nom du fichier,produit,étiquettes\nGuide de l’été.pdf,Carte de Besançon,voyage\nExercices.pdf,Élèves à l’école – niveau 1,français\n',
  de: 'Dateiname,Produkt,Schlagwörter\nÜbungsheft.pdf,Grüße aus München,Schüler\nNoten.pdf,Frühlingslieder – für „Kinder“,Größe M\n',
  es: 'nombre,producto,etiquetas\nGuía.pdf,Mapa de España y Cataluña,viaje\nEjercicios.pdf,Niños y niñas ¿qué?,años\n',
}

/** The label of the encoding, the language of the table, and its bytes. */
export const ENCODED_TABLES: readonly (readonly [string, string, string])[] = [
  // SHIFT_JIS
  [
    'shift_jis',
    'ja',
    'g3SDQINDg4uWvCyPpJVpLINeg08Kg0uDQ4Nog3WDYoNOLnBkZiyTjIuegsySbpB9LJe3jXMKl/uPS5KgLnBkZiyT+pZ7jOqCzJW2lkAsinePSwqKeZWILnBkZiyPdILMikMsibmKeQo=',
  ],
  // EUC-JP
  [
    'euc-jp',
    'ja',
    'pdWloaWkpevMviy+psnKLKW/pbAKpaylpKXJpdalw6WvLnBkZizF7LX+pM7Dz7/eLM65udQKzv29rMSiLnBkZizG/MvcuOykzsq4y6Ess9i9rAqz2snoLnBkZiy91aTOs6Qssruz2go=',
  ],
  // ISO-2022-JP
  [
    'iso-2022-jp',
    'ja',
    'GyRCJVUlISUkJWtMPhsoQiwbJEI+JklKGyhCLBskQiU/JTAbKEIKGyRCJSwlJCVJJVYlQyUvGyhCLnBkZiwbJEJFbDV+JE5DTz9eGyhCLBskQk45OVQbKEIKGyRCTn09LEQiGyhCLnBkZiwbJEJGfEtcOGwkTko4SyEbKEIsGyRCM1g9LBsoQgobJEIzWkloGyhCLnBkZiwbJEI9VSROMyQbKEIsGyRCMjszWhsoQgo=',
  ],
  // GB18030
  [
    'gb18030',
    'zh',
    'zsS8/sP7LLL6xrcsserHqQrWuMTPLnBkZiyxsb6ptdjNvCzCw9DQCsG3z7Cy4S5wZGYs1tDOxNPvt6gs0afPsArA1sbXLnBkZiy0ur2tu6jUwtK5LNL0wNYK',
  ],
  // GBK
  [
    'gb18030',
    'zh',
    'zsS8/sP7LLL6xrcsserHqQrWuMTPLnBkZiyxsb6ptdjNvCzCw9DQCsG3z7Cy4S5wZGYs1tDOxNPvt6gs0afPsArA1sbXLnBkZiy0ur2tu6jUwtK5LNL0wNYK',
  ],
  // BIG5
  [
    'big5',
    'zhtw',
    'wMmu16ZXutkssNOrfiy80MXSCqv8q24ucGRmLLtPpV+mYbnPLK7IpuYKvW2y36VVLnBkZiyw6rt5pOWqayy+x7LfCrzWw9AucGRmLLHmrEuttyyttbzWCg==',
  ],
  // EUC-KR
  [
    'euc-kr',
    'ko',
    'xsTAz7jtLLvzx7AsxcKx1wq+yLO7vK0ucGRmLLytv+8gwfa1tSy/qcfgCr+svcDA5S5wZGYsx9Gxub7uILmuuf0sx9C9wAq+x7q4LnBkZiy+xriutvsswL2+xwo=',
  ],
  // WINDOWS-1251
  [
    'windows-1251',
    'ru',
    '6Oz/IPTg6evgLPLu4uDwLOzl8uroCs/z8uXi7uTo8uXr/C5wZGYsyuDw8uAgzO7x6uL7LO/z8uX45fHy4ujlCtLl8vDg5PwucGRmLNDz8fHq4P8g4/Dg7Ozg8ujq4Czz97jh4ArN7vL7LnBkZizP5fHt6CDi5fHt+yzs8+f76uAK',
  ],
  // KOI8-R
  [
    'koi8-r',
    'ru',
    'yc3RIMbByszBLNTP18HSLM3F1MvJCvDV1MXXz8TJ1MXM2C5wZGYs68HS1MEg7c/Ty9fZLNDV1MXbxdPU18nFCvTF1NLBxNgucGRmLPLV09PLwdEgx9LBzc3B1MnLwSzV3qPCwQruz9TZLnBkZizwxdPOySDXxdPO2SzN1drZy8EK',
  ],
  // CP866
  [
    'ibm866',
    'ru',
    'qKzvIOSgqaugLOKuoqDgLKyl4qqoCo/j4qWirqSo4qWr7C5wZGYsiqDg4qAgjK7hqqLrLK/j4qXopeHioqilCpKl4uCgpOwucGRmLJDj4eGqoO8go+CgrKyg4qiqoCzj5/GhoAqNruLrLnBkZiyPpeGtqCCipeGt6yys46frqqAK',
  ],
  // WINDOWS-1250
  [
    'windows-1250',
    'pl',
    'bmF6d2EgcGxpa3UscHJvZHVrdCx0YWdpClByemV3b2RuaWsucGRmLE1hcGEgo29kemkgaSBHZGHxc2thLHBvZHLzv2UKxndpY3plbmlhLnBkZixHcmFtYXR5a2EgZGxhIGR6aWVjaSC/87N0YSxrc2m5v2tpCk51dHkucGRmLFBpZZxuaSB3aW9zbnkgn3LzZLNhLG11enlrYQo=',
  ],
  // ISO-8859-2
  [
    'iso-8859-2',
    'pl',
    'bmF6d2EgcGxpa3UscHJvZHVrdCx0YWdpClByemV3b2RuaWsucGRmLE1hcGEgo29kemkgaSBHZGHxc2thLHBvZHLzv2UKxndpY3plbmlhLnBkZixHcmFtYXR5a2EgZGxhIGR6aWVjaSC/87N0YSxrc2mxv2tpCk51dHkucGRmLFBpZbZuaSB3aW9zbnkgvHLzZLNhLG11enlrYQo=',
  ],
  // WINDOWS-1250
  [
    'windows-1250',
    'cs',
    'buF6ZXYgc291Ym9ydSxwcm9kdWt0LJp07XRreQpQcvl2b2RjZS5wZGYsTWFwYSBQbHpu7CBhIFT4ZWLt6GUsY2VzdG924W7tCkN2aehlYm5pY2UucGRmLMhlc2vhIPhl6Cx16GVu7Qo=',
  ],
  // WINDOWS-1250
  [
    'windows-1250',
    'hu',
    'ZuFqbG7pdix0ZXJt6WssY+1ta+lrCtp0aWv2bnl2LnBkZixHefVyIHTpcmvpcGUsdXRheuFzCkd5+2p0ZW3pbnkucGRmLNVzemkgZGFsb2sga/ZueXZlLHplbmUK',
  ],
  // WINDOWS-1253
  [
    'windows-1253',
    'el',
    '/O3v7OEg4fH35d/v9Szw8e/6/O0s5fTp6t305fIKz+Tn4/zyLnBkZizX3PH05/Ig9OfyIMHo3u3h8iz04e7f5OkKwfPq3vPl6fIucGRmLMXr6+ft6ereIOPx4ezs4fTp6t4s7Nzo5/PnCg==',
  ],
  // WINDOWS-1254
  [
    'windows-1254',
    'tr',
    'ZG9zeWEgYWT9LPxy/G4sZXRpa2V0bGVyClJlaGJlci5wZGYs3XN0YW5idWwgaGFyaXRhc/0sc2V5YWhhdApBbP3+dP1ybWEucGRmLFT8cmvnZSBkaWxiaWxnaXNpLPbwcmVuaW0K3mFya/1sYXIucGRmLEf8bmX+bGkgZ/xubGVyLG38emlrCg==',
  ],
  // WINDOWS-1255
  [
    'windows-1255',
    'he',
    '+e0g9+Xh9Szu5fb4LPri6eX6Cu7j+OnqLnBkZizu9Pog6fjl+ezp7Szo6eXsCvr44uns6e0ucGRmLOP34+X3IPLh+Oks7Onu5eMK',
  ],
  // WINDOWS-1256
  [
    'windows-1256',
    'ar',
    'x9PjIMfh4+HdLMfh4+TKzCzH4ebT5uMKz+Ht4S5wZGYsztHt2Mkgx+Hex+XRySzT3dEKyuPH0e3kLnBkZize5sfazyDH4eHbySDH4drRyO3JLMra4eMK',
  ],
  // CP874
  [
    'windows-874',
    'th',
    'qtfozeS/xewsytS5pOnSLOG356EKpNnowdfNLnBkZizhvLm31eihw9in4Le+LKHSw+C01Lm30qcK4bq6vdahy9G0LnBkZizkx8LSocOz7OS3wiyh0sPgw9XCucPZ6Qo=',
  ],
  // WINDOWS-1252
  [
    'windows-1252',
    'fr',
    'bm9tIGR1IGZpY2hpZXIscHJvZHVpdCzpdGlxdWV0dGVzCkd1aWRlIGRlIGyS6XTpLnBkZixDYXJ0ZSBkZSBCZXNhbudvbix2b3lhZ2UKRXhlcmNpY2VzLnBkZizJbOh2ZXMg4CBskuljb2xlIJYgbml2ZWF1IDEsZnJhbudhaXMK',
  ],
  // WINDOWS-1252
  [
    'windows-1252',
    'de',
    'RGF0ZWluYW1lLFByb2R1a3QsU2NobGFnd/ZydGVyCtxidW5nc2hlZnQucGRmLEdy/N9lIGF1cyBN/G5jaGVuLFNjaPxsZXIKTm90ZW4ucGRmLEZy/GhsaW5nc2xpZWRlciCWIGb8ciCES2luZGVykyxHcvbfZSBNCg==',
  ],
  // WINDOWS-1252
  [
    'windows-1252',
    'es',
    'bm9tYnJlLHByb2R1Y3RvLGV0aXF1ZXRhcwpHde1hLnBkZixNYXBhIGRlIEVzcGHxYSB5IENhdGFsdfFhLHZpYWplCkVqZXJjaWNpb3MucGRmLE5p8W9zIHkgbmnxYXMgv3F16T8sYfFvcwo=',
  ],
  // MACINTOSH
  [
    'macintosh',
    'fr',
    'bm9tIGR1IGZpY2hpZXIscHJvZHVpdCyOdGlxdWV0dGVzCkd1aWRlIGRlIGzVjnSOLnBkZixDYXJ0ZSBkZSBCZXNhbo1vbix2b3lhZ2UKRXhlcmNpY2VzLnBkZiyDbI92ZXMgiCBs1Y5jb2xlINAgbml2ZWF1IDEsZnJhbo1haXMK',
  ],
  // MACINTOSH
  [
    'macintosh',
    'de',
    'RGF0ZWluYW1lLFByb2R1a3QsU2NobGFnd5pydGVyCoZidW5nc2hlZnQucGRmLEdyn6dlIGF1cyBNn25jaGVuLFNjaJ9sZXIKTm90ZW4ucGRmLEZyn2hsaW5nc2xpZWRlciDQIGafciDjS2luZGVy0ixHcpqnZSBNCg==',
  ],
  // MACINTOSH
  [
    'macintosh',
    'es',
    'bm9tYnJlLHByb2R1Y3RvLGV0aXF1ZXRhcwpHdZJhLnBkZixNYXBhIGRlIEVzcGGWYSB5IENhdGFsdZZhLHZpYWplCkVqZXJjaWNpb3MucGRmLE5plm9zIHkgbmmWYXMgwHF1jj8sYZZvcwo=',
  ],
]
