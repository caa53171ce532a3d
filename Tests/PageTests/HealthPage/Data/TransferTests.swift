import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests importing, exporting everything and backing up on the page, and the status of the store.
@Suite(.timeLimit(.minutes(30))) struct TransferTests {
  private static let file = ["Content-Type": "application/octet-stream"]

  private static func append(_ text: String, to file: UploadedFile) throws {
    try Array(text.utf8).withUnsafeBytes { try file.append($0) }
  }

  /// Polls the report until the import has ended.
  private static func imported(_ client: PageClient) async throws -> ImportReport {
    while true {
      let report = try await client.get("/api/import").decoded(ImportReport.self)
      if report.isOver { return report }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  private static func uuids(in store: SystemStore, _ type: HKSampleType) async throws -> Set<UUID> {
    try await store.healthStore.reduceSamples(into: [], [.sample(type: type)]) { $0.insert($1.uuid) }
  }

  @Test func `everything that is exported is imported once, with the same UUIDs`() async throws {
    let (first, second) = (try PageStore(), try PageStore())
    try await first.save((0..<500).map { 60 + Double($0 % 40) })
    try await first.save([70, 71], from: 1e7, as: .watch)
    try await first.system.setDateOfBirth(ActivityDay(text: "1990-05-17"))
    let export = try await ServedPage.serve(first.page()) { page in
      let answer = try await page.entered().get("/api/export.xml")
      #expect(answer.status == 200)
      #expect(answer.fields["content-disposition"]?.hasSuffix(" export.xml\"") == true)
      return answer.body
    }
    try await ServedPage.serve(second.page()) { [first = first.system, second = second.system] page in
      let client = try await page.entered()
      let before = try await client.get("/api/import").decoded(ImportReport.self)
      #expect(before == ImportReport())
      let begun = try await client.ask("POST", "/api/import", Self.file, export)
      #expect(begun.status == 200, "\(begun.text)")
      let report = try await Self.imported(client)
      #expect(report.records == 502 && report.stored == 502 && report.failure == nil, "\(report)")
      #expect(report.characteristics == ["dateOfBirth"] && report.bytesRead == report.totalBytes)
      let type = HKQuantityType(.heartRate)
      let (there, here) = (try await Self.uuids(in: first, type), try await Self.uuids(in: second, type))
      #expect(here == there && here.count == 502)
      // Importing the same file again stores nothing.
      _ = try await client.ask("POST", "/api/import", Self.file, export)
      let again = try await Self.imported(client)
      #expect(again.number == 2 && again.stored == 0 && again.present == 502 && again.records == 502)
      #expect(try await Self.uuids(in: second, type).count == 502)
    }
  }

  @Test func `a file that is not an export, or not sent as one, changes nothing`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) {
      [folder = store.folder.path("."), system = store.system] page in
      let client = try await page.entered()
      for (file, words) in [
        ("no archive and no XML", "its root is not HealthData"),
        ("<ClinicalDocument></ClinicalDocument>", "clinical document"), ("PK\u{3}\u{4} torn", "archive"),
      ] {
        var answer = try await client.ask("POST", "/api/import", Self.file, Data(file.utf8))
        if answer.status == 200 {
          // The root element is checked while the file is read, not at the upload.
          let report = try await Self.imported(client)
          #expect(report.failure?.contains(words) == true && report.stored == 0, "\(file): \(report)")
        } else {
          #expect(answer.status == 400 && answer.text.contains(words), "\(file): \(answer.text)")
        }
        answer = try await client.post("/api/import", "{}")
        #expect(answer.status == 415, "\(answer.text)")
      }
      var stranger = client
      stranger.changeKey = "wrong"
      let export = Data("<HealthData></HealthData>".utf8)
      #expect(try await stranger.ask("POST", "/api/import", Self.file, export).status == 403)
      #expect(try await page.client.ask("POST", "/api/import", Self.file, export).status == 401)
      // Routes other than the import accept no file.
      #expect(try await client.ask("POST", "/api/samples", Self.file, export).status == 415)
      #expect(try await system.isEmpty())
      let left = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(left.allSatisfy { $0.hasPrefix("s.sqlite") }, "\(left)")
    }
  }

  /// A zip archive of a text and of an XML document that is no export.
  private static let notes =
    "UEsDBBQAAAAAAABQY10l/Du6DwAAAA8AAAAPAAAAbm90ZXMvbm90ZXMudHh0Tm90IGFuIGV4cG9ydC4KUEsDBBQAAA"
    + "AAAABQY10II3cvFQAAABUAAAAOAAAAbm90ZXMvbGlzdC54bWw8bGlzdD48aXRlbS8+PC9saXN0PgpQSwECFAMUAAAA"
    + "AAAAUGNdJfw7ug8AAAAPAAAADwAAAAAAAAAAAAAAgAEAAAAAbm90ZXMvbm90ZXMudHh0UEsBAhQDFAAAAAAAAFBjXQ"
    + "gjdy8VAAAAFQAAAA4AAAAAAAAAAAAAAIABPAAAAG5vdGVzL2xpc3QueG1sUEsFBgAAAAACAAIAeQAAAH0AAAAAAA=="

  @Test func `a sound archive without an export is rejected with what to choose instead`() async throws {
    let store = try PageStore()
    let archive = try #require(Data(base64Encoded: Self.notes))
    let (answer, failure) = try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let answer = try await client.ask("POST", "/api/import", Self.file, archive)
      // A file that is no archive is rejected while it is read.
      #expect(try await client.ask("POST", "/api/import", Self.file, Data("notes".utf8)).status == 200)
      return (answer, try await Self.imported(client).failure)
    }
    #expect(answer.status == 400, "\(answer.text)")
    let error = try answer.object()
    let message =
      "It contains no export of Apple's Health app; use the export.zip that the Health app creates, or the "
      + "export.xml in it."
    #expect(error["message"] as? String == message && error["field"] as? String == "file", "\(error)")
    #expect(try await store.system.isEmpty())
    // The browser tests have a server of their own, with the same messages.
    let other = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../browser/standin.py").standardized
    let source = try String(contentsOf: other, encoding: .utf8)
    let texts = source.replacing(#/"\n +"/#, with: "")
    let textFailure = try #require(failure)
    #expect(texts.contains(message) && texts.contains(textFailure))
  }

  @Test func `an uploaded file has no name, and is as large as allowed at most`() async throws {
    let folder = try TemporaryFolder()
    let limit = RequestLimit(1)
    do {
      let file = try UploadedFile(in: folder.path("."), size: 6, maximumSize: 8, limit)
      try Self.append("123456", to: file)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".")).isEmpty)
      var status = stat()
      #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_nlink == 0)
      #expect(try Data(contentsOf: URL(filePath: file.path)) == Data("123456".utf8))
      #expect(throws: PageError.tooLargeUpload(8)) {
        try Self.append("789", to: file)
      }
      #expect(file.size == 6)
      // This limit permits only one upload at a time.
      #expect(throws: PageError.busy) { try UploadedFile(in: folder.path("."), size: 6, limit) }
    }
    #expect(throws: PageError.tooLargeUpload(8)) {
      try UploadedFile(in: folder.path("."), size: 9, maximumSize: 8, limit)
    }
    #expect(throws: PageError.diskFull) {
      try UploadedFile(in: folder.path("."), size: 1 << 60, maximumSize: 1 << 61, limit)
    }
    _ = try UploadedFile(in: folder.path("."), size: nil, limit)
  }

  @Test func `a large file is received in parts, beside other requests`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let comment = String(repeating: "x", count: 3 << 20)
      let export = Data("<!-- \(comment) --><HealthData></HealthData>".utf8)
      async let answer = client.ask("POST", "/api/import", Self.file, export)
      #expect(try await client.get("/api/session").status == 200)
      #expect(try await answer.status == 200)
      let report = try await Self.imported(client)
      #expect(report.failure == nil && report.records == 0, "\(report)")
    }
  }

  @Test func `a backup is a store with the same samples`() async throws {
    let store = try PageStore()
    try await store.save([60, 61, 62])
    let bytes = try await ServedPage.serve(store.page()) { page in
      let answer = try await page.entered().get("/api/backup")
      #expect(answer.status == 200)
      #expect(answer.fields["content-disposition"]?.hasSuffix(" health.sqlite\"") == true)
      return answer.body
    }
    let copy = store.folder.path("copy.sqlite")
    try bytes.write(to: URL(filePath: copy))
    let there = try await Self.uuids(in: store.system, HKQuantityType(.heartRate))
    #expect(try await Self.uuids(in: SystemStore(at: copy), HKQuantityType(.heartRate)) == there)
    #expect(there.count == 3)
    let left = try FileManager.default.contentsOfDirectory(atPath: store.folder.path("."))
    #expect(!left.contains { $0.hasPrefix(".hrgate") }, "\(left)")
  }

  @Test func `a downloaded file is named by its time, its source and its kind`() {
    let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    let time = Date(timeIntervalSince1970: 1_795_796_400)
    #expect(
      DownloadName.disposition(time, of: "Strap 1", "rr", extension: "txt", zone: berlin)
        == "attachment; filename=\"2026-11-27 1720 Strap 1 rr.txt\"")
    for (length, name) in [
      (20.0, "2026-11-27 1720 heartRate"), (3600, "2026-11-27 1720 to 1820 heartRate"),
      (86_400, "2026-11-27 1720 to 2026-11-28 1720 heartRate"),
    ] {
      #expect(
        DownloadName.disposition(time, to: time + length, "heartRate", extension: "csv", zone: berlin)
          == "attachment; filename=\"\(name).csv\"")
    }
    // Characters are removed that would end the header field, or that would lead to another folder.
    #expect(
      DownloadName.disposition(nil, of: "../Ä\"; x=\r\n\u{202E}b", "rr", extension: "txt")
        == "attachment; filename=\"x b rr.txt\"")
    #expect(
      DownloadName.disposition(nil, of: "名", "heartRate", extension: "csv")
        == "attachment; filename=\"heartRate.csv\"")
  }

  @Test func `a download of a range has the times of its first and last value in its name`() async throws {
    let store = try PageStore()
    try await store.save((0..<600).map { 60 + Double($0 % 40) })
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      for (from, to) in [(0.0, 599.0), (120, 400)] {
        let span = "&from=\(time(from))&to=\(time(to + 0.5))"
        let answer = try await client.get("/api/export.csv?type=heartRate\(span)")
        let name = DownloadName.disposition(
          moment(from), to: moment(min(599, to + 0.5)), "heartRate", extension: "csv")
        #expect(answer.fields["content-disposition"] == name && name.contains(" to "))
      }
    }
  }

  @Test func `the storage answer has the size of the store and the number of samples`() async throws {
    let store = try PageStore()
    try await store.save([60, 61, 62])
    try await ServedPage.serve(store.page()) { [file = store.file] page in
      let answer = try await page.entered().get("/api/storage").decoded(StorageResponse.self)
      #expect(answer.store == file && answer.samples == 3 && answer.destinations.isEmpty)
      #expect(answer.size > 4096 && answer.free ?? 0 > 0)
    }
  }
}
