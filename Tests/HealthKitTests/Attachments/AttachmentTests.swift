import HealthKit
import HealthSystem
import Testing
import UniformTypeIdentifiers

/// Tests files that are attached to prescriptions.
@Suite struct AttachmentTests {
  /// Arbitrary bytes, because the contents of an image are not checked.
  private static func bytes(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  }

  private static func prescription(_ metadata: [String: Any]? = nil) -> HKVisionPrescription {
    HKContactsPrescription(
      rightEyeSpecification: nil, leftEyeSpecification: nil, brand: "Clear", dateIssued: moment(),
      expirationDate: nil, device: nil, metadata: metadata)
  }

  private static func withFile(_ bytes: Data, _ body: (URL) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID()).png")
    try bytes.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url)
  }

  @Test(arguments: StoreDepth.allCases)
  func `a file is read byte by byte with its name, type and metadata`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let attachments = HKAttachmentStore(healthStore: store)
      let prescription = Self.prescription()
      try await store.save(prescription)
      // The store divides a file into pieces of 262,144 bytes. Test no bytes, less than a piece, exactly one
      // piece, and more than two pieces.
      for count in [0, 3, 262_144, 600_000] {
        let bytes = Self.bytes(count)
        try await Self.withFile(bytes) { url in
          let added = try await attachments.addAttachment(
            to: prescription, name: "Scan", contentType: .png, url: url, metadata: ["page": 2])
          #expect(added.size == count && added.name == "Scan" && added.contentType == .png)
          let found = try #require(try await attachments.attachments(for: prescription).last)
          #expect(found == added && found.creationDate == added.creationDate)
          #expect(found.size == count && found.contentType == .png)
          #expect(found.metadata?["page"] as? Int == 2)
          let reader = attachments.dataReader(for: found)
          #expect(try await reader.data == bytes)
          #expect(reader.progress.completedUnitCount == Int64(count))
          var single = Data()
          for try await byte in attachments.dataReader(for: found).bytes { single.append(byte) }
          #expect(single == bytes)
        }
      }
      #expect(try await attachments.attachments(for: prescription).map(\.size) == [0, 3, 262_144, 600_000])
    }
  }

  @Test func `handlers get the bytes at once or piece by piece`() async throws {
    let store = try HKHealthStore.inMemory()
    let attachments = HKAttachmentStore(healthStore: store)
    let prescription = Self.prescription()
    try await store.save(prescription)
    let bytes = Self.bytes(700_000)
    try await Self.withFile(bytes) { url in
      let added: HKAttachment = try await withCheckedThrowingContinuation { continuation in
        attachments.addAttachment(to: prescription, name: "a", contentType: .pdf, url: url) {
          attachment, error in
          continuation.resume(
            with: attachment.map { .success($0) } ?? .failure(error ?? HKError(.unknownError)))
        }
      }
      let listed = await withCheckedContinuation { continuation in
        attachments.getAttachments(for: prescription) { list, _ in continuation.resume(returning: list ?? [])
        }
      }
      #expect(listed == [added])
      let whole = await withCheckedContinuation { continuation in
        attachments.getData(for: added) { data, _ in continuation.resume(returning: data) }
      }
      #expect(whole == bytes)
      let (pieces, continuation) = AsyncStream<(Data, Bool)>.makeStream()
      let progress = attachments.streamData(for: added) { data, error, isDone in
        #expect(error == nil)
        continuation.yield((data ?? Data(), isDone))
        if isDone { continuation.finish() }
      }
      let received = await pieces.reduce(into: []) { $0.append($1) }
      #expect(received.map(\.1) == [false, false, true])
      #expect(Data(received.map(\.0).joined()) == bytes)
      #expect(progress.isFinished)
      let removed = await withCheckedContinuation { continuation in
        attachments.removeAttachment(added, from: prescription) { done, _ in
          continuation.resume(returning: done)
        }
      }
      #expect(removed)
      #expect(try await attachments.attachments(for: prescription).isEmpty)
      await expectFailure(.errorNoData) { try await attachments.dataReader(for: added).data }
      await expectFailure(.errorInvalidArgument) {
        try await attachments.removeAttachment(added, from: prescription)
      }
    }
  }

  @Test func `a file is deleted with its prescription, and kept by a replacement`() async throws {
    let store = try HKHealthStore.inMemory()
    let attachments = HKAttachmentStore(healthStore: store)
    func version(_ version: Int) -> HKVisionPrescription {
      Self.prescription([HKMetadataKeySyncIdentifier: "p", HKMetadataKeySyncVersion: version])
    }
    let (first, second) = (version(1), version(2))
    try await store.save(first)
    try await Self.withFile(Self.bytes(10)) { url in
      let added = try await attachments.addAttachment(to: first, name: "a", contentType: .heic, url: url)
      try await store.save(second)
      #expect(try await attachments.attachments(for: first).isEmpty)
      #expect(try await attachments.attachments(for: second) == [added])
      #expect(try await attachments.dataReader(for: added).data == Self.bytes(10))
      try await store.delete(second)
      #expect(try await attachments.attachments(for: second).isEmpty)
      await expectFailure(.errorNoData) { try await attachments.dataReader(for: added).data }
    }
  }

  @Test func `an invalid attachment is rejected with the reason`() async throws {
    let store = try HKHealthStore.inMemory()
    let attachments = HKAttachmentStore(healthStore: store)
    let prescription = Self.prescription()
    try await store.save(prescription)
    let pulse = heartRate(60, at: 0)
    try await store.save(pulse)
    func add(
      to object: HKObject = prescription, as type: UTType = .png, _ url: URL, _ metadata: [String: Any] = [:]
    ) async throws -> HKAttachment {
      try await attachments.addAttachment(
        to: object, name: "a", contentType: type, url: url, metadata: metadata)
    }
    try await Self.withFile(Self.bytes(10)) { url in
      await expectFailure(.errorInvalidArgument) { try await add(to: pulse, url) }
      await expectFailure(.errorAuthorizationDenied) { try await add(to: Self.prescription(), url) }
      for type in [UTType.gif, .quickTimeMovie, .plainText, .livePhoto] {
        await expectFailure(.errorInvalidArgument) { try await add(as: type, url) }
      }
      await expectFailure(.errorInvalidArgument) { try await add(url.deletingLastPathComponent()) }
      await expectFailure(.errorInvalidArgument) { try await add(URL(filePath: "/no/such/file")) }
      let remote = try #require(URL(string: "https://example.org/a.png"))
      await expectFailure(.errorInvalidArgument) { try await add(remote) }
      await expectFailure(.errorInvalidArgument) { try await add(url, ["k": Data()]) }
      await expectFailure(.errorInvalidArgument) {
        try await add(url, ["k": HKQuantity(unit: .count(), doubleValue: 1)])
      }
    }
    let large = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
    #expect(FileManager.default.createFile(atPath: large.path, contents: nil))
    defer { try? FileManager.default.removeItem(at: large) }
    try FileHandle(forWritingTo: large).truncate(atOffset: 50_000_001)
    await expectFailure(.errorDataSizeExceeded) { try await add(large) }
    #expect(try await attachments.attachments(for: prescription).isEmpty)
  }

  @Test func `a prescription has at most a hundred attachments`() async throws {
    let store = try HKHealthStore.inMemory()
    let attachments = HKAttachmentStore(healthStore: store)
    let prescription = Self.prescription()
    try await store.save(prescription)
    try await Self.withFile(Self.bytes(1)) { url in
      for _ in 0..<100 {
        _ = try await attachments.addAttachment(to: prescription, name: "a", contentType: .png, url: url)
      }
      await expectFailure(.errorInvalidArgument) {
        try await attachments.addAttachment(to: prescription, name: "a", contentType: .png, url: url)
      }
    }
    #expect(try await attachments.attachments(for: prescription).count == 100)
  }

  @Test func `readers of the prescription can read its files, and only its source can change them`()
    async throws
  {
    let store = try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(),
        decision: .asking { .granted(share: [], read: [], objects: Set($0.objects)) }))
    let other = store.acting(as: HKSource(name: "Other", bundleIdentifier: "other"))
    let type = HKObjectType.visionPrescriptionType()
    func decide(share: Bool) async throws {
      try await other.user.setPermission(share: share, read: nil, on: [type], for: "org.example.recorder")
    }
    let (own, others) = (Self.prescription(), Self.prescription())
    try await other.save(others)
    let mine = HKAttachmentStore(healthStore: store)
    let theirs = HKAttachmentStore(healthStore: other)
    try await Self.withFile(Self.bytes(10)) { url in
      func add(to object: HKObject) async throws -> HKAttachment {
        try await mine.addAttachment(to: object, name: "a", contentType: .png, url: url)
      }
      let foreign = try await theirs.addAttachment(to: others, name: "a", contentType: .png, url: url)
      await expectFailure(.errorAuthorizationNotDetermined) { try await add(to: own) }
      try await decide(share: true)
      try await store.save(own)
      let added = try await add(to: own)
      #expect(try await mine.dataReader(for: added).data.count == 10)

      // The application can neither see nor change attachments to samples of another source.
      #expect(try await mine.attachments(for: others).isEmpty)
      await expectFailure(.errorNoData) { try await mine.dataReader(for: foreign).data }
      await expectFailure(.errorAuthorizationDenied) { try await add(to: others) }
      await expectFailure(.errorAuthorizationDenied) {
        try await mine.removeAttachment(foreign, from: others)
      }
      // An attachment of another source cannot be removed through a sample of the application's own.
      await expectFailure(.errorInvalidArgument) { try await mine.removeAttachment(foreign, from: own) }
      #expect(try await theirs.attachments(for: others) == [foreign])

      try await store.requestPerObjectReadAuthorization(for: type, predicate: nil)
      #expect(try await mine.attachments(for: others) == [foreign])
      #expect(try await mine.dataReader(for: foreign).data.count == 10)

      try await decide(share: false)
      await expectFailure(.errorAuthorizationDenied) { try await add(to: own) }
      await expectFailure(.errorAuthorizationDenied) { try await mine.removeAttachment(added, from: own) }
      #expect(try await mine.dataReader(for: added).data.count == 10)
    }
  }

  @Test func `an attachment is archived without its bytes`() async throws {
    let store = try HKHealthStore.inMemory()
    let attachments = HKAttachmentStore(healthStore: store)
    let prescription = Self.prescription()
    try await store.save(prescription)
    try await Self.withFile(Self.bytes(10)) { url in
      let added = try await attachments.addAttachment(
        to: prescription, name: "a", contentType: .png, url: url, metadata: ["k": "v"])
      let back = try #require(try archived(added))
      #expect(back == added && back.size == 10 && back.contentType == .png && back.name == "a")
      #expect(back.metadata?["k"] as? String == "v" && back.creationDate == added.creationDate)
      #expect(try await attachments.dataReader(for: back).data == Self.bytes(10))
    }
  }
}
