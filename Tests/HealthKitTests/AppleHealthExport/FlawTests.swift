import AppleHealthExport
import Foundation
import Glibc
import HealthFormats
import HealthKit
import Testing

@testable import TestSupport

/// Tests that errors in an export are counted by kind, and that everything else is imported.
struct FlawTests {
  @Test(arguments: [
    (heartRate("sixty"), RecordError.value),
    (heartRate("0x1p4"), .value),
    (heartRate("nan"), .value),
    (heartRate("60", #"startDate="2026-02-30 08:00:00 +0100" endDate="2026-02-30 08:00:00 +0100""#), .time),
    (heartRate("60", #"startDate="2026-01-01 08:00:00 +0100""#), .time),
    (heartRate("60", #"startDate="2026-01-01T08:00:00Z" endDate="2026-01-01T08:00:00Z""#), .time),
    (heartRate("60", #"startDate="2026-01-02 08:00:00 +0100" endDate="2026-01-01 08:00:00 +0100""#), .rule),
    (heartRate().replacing("count/min", with: "kg"), .unit),
    (heartRate().replacing("count/min", with: "furlong"), .unit),
    (heartRate().replacing("Watch\"", with: "Watch"), .damaged),
    (heartRate().replacing("</Record>", with: ""), .damaged),
    (heartRate("60", holding: "<MetadataEntry key=\"a\" value=></MetadataEntry>"), .damaged),
    (
      #"<Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="W" \#(aMinute) value="HKCategoryValueSleepAnalysisDreaming"/>"#,
      .value
    ),
    (
      #"<Record type="HKCategoryTypeIdentifierMenstrualFlow" sourceName="W" \#(aMinute) value="HKCategoryValueVaginalBleedingLight"/>"#,
      .rule
    ),
  ])
  func `an invalid record is counted, and its neighbors are stored`(record: String, flaw: RecordError)
    async throws
  {
    let store = try emptyStore()
    let outcome = try await importing(
      export(heartRate("50") + record + heartRate("70") + heartRate("80")), into: store)
    #expect(outcome.records.problems == [flaw: 1])
    #expect(outcome.stored == 3 && outcome.isBalanced && outcome.isComplete)
  }

  @Test(arguments: [
    ("B\u{0B}C", 1, "BC"), ("\u{1}B\u{0}\u{1F}C", 3, "BC"), ("B&#11;C", 1, "BC"), ("B&#x0;C", 1, "BC"),
    ("B&#xB;&#0;C", 2, "BC"), ("B&#55296;C&#xFFFE;", 2, "BC"), ("B&#99999999999;C", 1, "BC"),
    ("B & C", 1, "B  C"), ("B &lol; C", 1, "B lol; C"), ("B&", 1, "B"), ("&&amp;", 1, "&"),
    ("B&#;C", 1, "B#;C"), ("&#x41;&#0000000066;\u{FFFD}", 0, "AB\u{FFFD}"), ("a\tb", 0, "a b"),
  ])
  func `a character that XML does not allow is dropped, and its record is kept`(
    name: String, count: Int, stored: String
  ) async throws {
    let store = try emptyStore()
    let outcome = try await importing(export(heartRate().replacing("Watch", with: name)), into: store)
    #expect(outcome.records.problems == (count > 0 ? [.character: count] : [:]))
    #expect(outcome.stored == 1 && outcome.isBalanced && outcome.isComplete)
    let source = try await samples(in: store).first?.sourceRevision.source.name
    #expect(source == stored)
  }

  @Test(
    arguments: [
      ([0xFF], 1), ([0xC3], 1), ([0xE2, 0x82], 1), ([0xFF, 0xFE], 2), ([0xED, 0xA0, 0x80], 3),
      ([0x80, 0x41], 1),
    ] as [([UInt8], Int)])
  func `malformed UTF-8 is dropped anywhere in a tag`(bytes: [UInt8], count: Int) async throws {
    let text = Array(export(heartRate()).utf8)
    for place in ["Watch", "Record", "sourceName", "count/min"] {
      let at = try #require(text.firstRange(of: Array("<Record type".utf8)))
      let found = try #require(text[at.lowerBound...].firstRange(of: Array(place.utf8)))
      var damaged = text
      damaged.insert(contentsOf: bytes.filter { $0 >= 0x80 }, at: found.lowerBound + 2)
      let folder = try TemporaryFolder()
      let outcome = await AppleHealthImport(path: try folder.file("e.xml", damaged)).run(
        into: try emptyStore())
      #expect(outcome.records.problems == [.character: count] && outcome.stored == 1, "\(place)")
    }
  }

  @Test func `control characters are dropped anywhere in a tag`() async throws {
    let tag = heartRate("60", holding: "<MetadataEntry key=\"a\" value=\"b\"/>")
    for place in [
      "<Rec", "Record", " type", "type=", "=\"HKQ", "\" sourceName", "</Rec", "<Metadata", "value=\"b\"",
    ] {
      let broken = tag.replacing(place, with: place + "\u{0B}\u{2}")
      let store = try emptyStore()
      let outcome = try await importing(export(broken), into: store)
      #expect(outcome.records.problems[.character] ?? 0 >= 2 && outcome.stored == 1, "\(place)")
      #expect(outcome.records.problems.count == 1, "\(place): \(outcome.records.problems)")
      let metadata = try await samples(in: store).first?.metadata?.keys.sorted()
      #expect(metadata == ["a"], "\(place)")
    }
  }

  @Test func `each of a thousand invalid tags is counted`() async throws {
    let broken = "<Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=>"
    let part = "<MetadataEntry key=\"a\" value=/>"
    for tag in [
      broken, broken.replacing(">", with: "/>"), broken + part + part + "</Record>", "<Record type=\"x",
      broken.replacing(">", with: ""), "<Workout =\"1\"/>", "< >", "<Correlation type/></Correlation>",
    ] {
      let many = String(repeating: tag + "\n", count: 1000)
      let outcome = try await importing(export(heartRate() + many + heartRate("61")), into: emptyStore())
      #expect(outcome.records.problems == [.damaged: 1000], "\(tag): \(outcome.records.problems)")
      #expect(outcome.stored == 2 && outcome.isBalanced, "\(tag)")
    }
    let summaries = String(repeating: "<ActivitySummary dateComponents=/>", count: 10)
    let outcome = try await importing(export(summaries + heartRate()), into: emptyStore())
    #expect(outcome.records.unread == ["ActivitySummary": 10] && outcome.stored == 1)
  }

  /// If each broken instruction were searched for in the entire buffer, this would take a hundred times as
  /// long. The test measures CPU time, so that a busy machine does not matter.
  @Test func `broken instructions cost no more than tags`() {
    func cost(_ markup: String) -> Double {
      func time() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
      }
      var scanner = XMLScanner()
      var bytes = Array(("<a>" + String(repeating: markup, count: 20_000)).utf8)
      let begin = time()
      var count = 0
      while !scanner.isAtEnd {
        scanner.refill { buffer in
          buffer.copyBytes(from: bytes)
          defer { bytes = [] }
          return bytes.count
        }
        while scanner.next() != nil { count += 1 }
      }
      #expect(count >= 20_000)
      return time() - begin
    }
    #expect(cost("<?a") < cost("<b>") * 10)
  }

  /// A damaged byte may turn a tag into a processing instruction or a declaration.
  @Test(arguments: ["<?", "<!", "<?xml ", "<!-", "<![CDATA", "<!DOCTYPE "])
  func `a tag that became other markup is counted, and hides nothing else`(markup: String) async throws {
    let part = "<MetadataEntry key=\"a\" value=\"b\"/>"
    for tag in [heartRate(), heartRate(holding: part)] {
      let text = export(heartRate("50") + tag.replacing("<Record", with: markup) + heartRate("70"))
      let outcome = try await importing(text, into: emptyStore())
      #expect(outcome.isComplete && outcome.records.problems == [.damaged: 1], "\(outcome.records.problems)")
      #expect(outcome.stored == 2 && outcome.isBalanced)
    }
    let inside = heartRate(holding: part).replacing("<MetadataEntry", with: markup)
    let outcome = try await importing(export(inside + heartRate("70")), into: emptyStore())
    #expect(outcome.isComplete && outcome.records.problems == [.damaged: 1] && outcome.stored == 1)
  }

  @Test func `comments, instructions and CDATA sections between records are skipped`() async throws {
    let extra = "<!-- a -- <Record> --><?p ?><![CDATA[<Record>]]]>text"
    let prolog = Phone.heading.replacing("<!DOCTYPE", with: "<?p <a> ?><!-- <a> -->\n<!DOCTYPE")
    let text = prolog + heartRate("50") + extra + heartRate("70") + "</HealthData>"
    let outcome = try await importing(text, into: emptyStore())
    #expect(outcome.isComplete && outcome.records.problems.isEmpty && outcome.stored == 2)
  }

  @Test func `an invalid tag does not hide the record before it`() async throws {
    let open = heartRate().replacing("</Record>", with: "")
    let outcome = try await importing(
      export(open + "<Record type=>" + open + "<Record type=/>" + heartRate("70")), into: emptyStore())
    #expect(outcome.records.problems == [.damaged: 4] && outcome.stored == 1)
  }

  /// The workout's event is invalid too.
  @Test func `a workout that ends before it begins is counted`() async throws {
    let times = #"startDate="2026-01-02 08:00:00 +0100" endDate="2026-01-01 08:00:00 +0100""#
    let event = #"<WorkoutEvent type="HKWorkoutEventTypeLap" date="2026-01-02 08:00:00 +0100"/>"#
    let type = #"workoutActivityType="HKWorkoutActivityTypeRunning""#
    let outcome = try await importing(
      export("<Workout \(type) sourceName=\"W\" \(times)>\(event)</Workout>"), into: try emptyStore())
    #expect(outcome.records.problems == [.rule: 1, .workoutPart: 1] && outcome.stored == 0)
  }

  /// Without its beats a series has no content, so nothing of it is stored.
  @Test(arguments: [
    "", "<HeartRateVariabilityMetadataList/>",
    #"<HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="fast" time="08:00:01.00"/></HeartRateVariabilityMetadataList>"#,
    "<MetadataEntry key=\"org.hrgate.sample\" value=\"beats=0,2000000\"/>",
  ])
  func `a series without readable beats is counted and not stored`(content: String)
    async throws
  {
    let record =
      #"<Record type="HKDataTypeIdentifierHeartbeatSeries" sourceName="W" \#(aMinute)>\#(content)</Record>"#
    let outcome = try await importing(export(record + heartRate()), into: emptyStore())
    #expect(outcome.records.problems == [.value: 1] && outcome.stored == 1 && outcome.isBalanced)
  }

  @Test(arguments: [
    ("<MetadataEntry key=\"HKWasUserEntered\" value=\"perhaps\"/>", RecordError.metadata),
    ("<MetadataEntry key=\"HKWeatherTemperature\" value=\"5 kg\"/>", .metadata),
    ("<MetadataEntry key=\"HKMetadataKeySyncIdentifier\" value=\"alone\"/>", .metadata),
    ("<MetadataEntry key=\"org.hrgate.sample\" value=\"uuid=1\"/>", .metadata),
    ("<MetadataEntry key=\"org.hrgate.sample\" value=\"start=1000000\"/>", .metadata),
  ])
  func `a record is stored without invalid metadata`(entry: String, flaw: RecordError) async throws {
    let store = try emptyStore()
    let kept = "<MetadataEntry key=\"com.example\" value=\"kept\"/>"
    let outcome = try await importing(export(heartRate("50", holding: entry + kept)), into: store)
    #expect(outcome.stored == 1 && outcome.records.problems == [flaw: 1])
    let sample = try #require(await samples(in: store).first)
    #expect(sample.metadata?.keys.sorted() == ["com.example"])
  }

  @Test func `a truncated export is imported up to its end`() async throws {
    var phone = Phone(seed: 6)
    let text = Array(phone.export(days: 1).utf8)
    for cut in stride(from: 1200, to: text.count - 15, by: text.count / (isLongRun ? 23 : 7)) {
      let store = try emptyStore()
      let outcome = try await importing(String(decoding: text[..<cut], as: UTF8.self), into: store)
      #expect(outcome.importError == .truncated)
      #expect(outcome.isBalanced && outcome.failure == nil)
      #expect(try await samples(in: store).count == outcome.stored)
    }
  }

  @Test func `a damaged byte affects only its own element`() async throws {
    var phone = Phone(seed: 7)
    let text = Array(phone.export(days: 1).utf8)
    let whole = try await importing(String(decoding: text, as: UTF8.self), into: nil)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<(isLongRun ? 200 : 30) {
      var damaged = text
      let place = Int.random(in: Phone.heading.utf8.count..<text.count - 15, using: &random)
      damaged[place] = UInt8.random(in: 0...255, using: &random)
      let folder = try TemporaryFolder()
      let outcome = await AppleHealthImport(path: try folder.file("e.xml", damaged)).run(into: nil)
      #expect(outcome.importError == nil)
      let lost = whole.records.read.values.reduce(0, +) - outcome.records.read.values.reduce(0, +)
      // At most three records are lost, because a correlation has three objects and a variability record two.
      #expect(lost <= 3, "byte \(place): \(damaged[place])")
    }
  }

  /// iOS 16 wrote a malformed document type declaration, and a second start tag in place of an end tag.
  @Test func `an export of iOS 16 is read`() async throws {
    let broken = Phone.heading.replacing(
      "]>", with: "<!ATTLIST VisionPrescription\n type CDATA #REQUIRED\n<!ELEMENT RightEye EMPTY>\n>\n]>")
    let store = try emptyStore()
    let record = heartRate("60", aMinute.replacing("endDate", with: "startDate"))
    let outcome = try await importing(broken + record + "</HealthData>", into: store)
    #expect(outcome.stored == 1 && outcome.isComplete)
    #expect(try await samples(in: store).first.map { $0.endDate.timeIntervalSince($0.startDate) } == 60)
  }

  @Test func `entities declared by the document are not expanded`() async throws {
    let bomb = Phone.heading.replacing(
      "<!ELEMENT Record", with: "<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\"><!ELEMENT Record")
    let record = heartRate().replacing("Watch", with: "&b;")
    let outcome = try await importing(bomb + record + heartRate("70") + "</HealthData>", into: emptyStore())
    #expect(outcome.records.problems == [.character: 1] && outcome.stored == 2)
  }

  @Test func `tags and elements beyond the limits are counted as damaged`() async throws {
    let long = "<Record type=\"" + String(repeating: "x", count: 3 << 20) + "\"/>"
    let many = heartRate(
      "61", holding: String(repeating: "<MetadataEntry key=\"a\" value=\"b\"/>", count: 150_000))
    let deep = heartRate("62", holding: String(repeating: "<a>", count: 1000))
    let outcome = try await importing(export(long + many + deep + heartRate("63")), into: emptyStore())
    #expect(outcome.records.problems == [.damaged: 3] && outcome.stored == 1)
  }

  @Test func `unsupported elements are counted by name`() async throws {
    var phone = Phone(seed: 8)
    let outcome = try await importing(phone.export(days: 3), into: emptyStore())
    #expect(
      outcome.records.unread == [
        "HKQuantityTypeIdentifierSomethingNew": 3, "ActivitySummary": 3, "WorkoutRoute": 3,
        "WorkoutStatistics HKQuantityTypeIdentifierHeartRate": 3,
      ])
    let names = (0..<3000).map { "<Record type=\"Made\($0)\" sourceName=\"W\" \(aMinute)/>" }.joined()
    let hostile = try await importing(export(names), into: emptyStore())
    #expect(hostile.records.unread.count == 1001 && hostile.records.unread["others"] == 2000)
  }

  /// Progress is reported even if no batch is complete.
  @Test func `an import without stored records reports progress and can be stopped`() async throws {
    let record = "<Record type=\"New\" sourceName=\"W\" \(aMinute)/>"
    let folder = try TemporaryFolder()
    let text = export(heartRate() + String(repeating: record, count: 3000))
    let path = try folder.file("export.xml", Array(text.utf8))
    let store = try emptyStore()
    var reported: [Int] = []
    let outcome = await AppleHealthImport(path: path).run(
      into: store, progress: { reported.append($0.records.unread["New"] ?? 0) },
      isStopped: { reported.count == 3 })
    #expect(reported.count == 4 && reported == reported.sorted() && (reported.last ?? 0) < 3000)
    #expect(outcome.isStopped && outcome.stored == 1 && outcome.isBalanced)
  }

  @Test(arguments: ["", "<html></html>", "no XML at all", "<?xml version=\"1.0\"?><!DOCTYPE HealthData [ ]>"])
  func `a file that is not an export is rejected`(text: String) async throws {
    #expect(try await importing(text, into: nil).importError == .notAnExport)
  }

  @Test func `a missing file is reported with the system's error`() async {
    let outcome = await AppleHealthImport(path: "/nowhere/export.xml").run(into: nil)
    #expect(outcome.importError == .file(errno: ENOENT))
  }
}
