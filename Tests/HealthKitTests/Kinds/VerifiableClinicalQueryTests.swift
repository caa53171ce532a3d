import HealthKit
import Synchronization
import Testing

/// Tests the query for records that are signed by their issuers (docs/healthkit-rules.md, §7.4, §7.5).
@Suite struct VerifiableClinicalQueryTests {
  private typealias Kind = HKVerifiableClinicalRecordCredentialType

  private func record(
    _ name: String, _ types: [Kind], _ source: HKVerifiableClinicalRecordSourceType = .smartHealthCard,
    at seconds: Double = 0
  ) throws -> HKVerifiableClinicalRecord {
    try HKVerifiableClinicalRecord.make(
      uuid: UUID(),
      VerifiableClinicalContent(
        recordTypes: types.map(\.rawValue), issuerIdentifier: "https://example.org",
        subject: HKVerifiableClinicalRecordSubject(fullName: "Ada", dateOfBirthComponents: nil),
        issuedDate: moment(seconds), relevantDate: moment(seconds), expirationDate: nil, itemNames: [name],
        sourceType: source, dataRepresentation: Data([1])), device: nil, metadata: nil)
  }

  private func names(
    _ types: [Kind], _ sources: [HKVerifiableClinicalRecordSourceType] = [.smartHealthCard],
    _ predicate: NSPredicate? = nil, in store: HKHealthStore
  ) async throws -> [[String]] {
    try await HKVerifiableClinicalRecordQueryDescriptor(
      recordTypes: types, sourceTypes: sources, predicate: predicate
    ).result(for: store).map(\.itemNames)
  }

  @Test(arguments: StoreDepth.allCases)
  func `matching records have all the requested types and one of the sources`(_ depth: StoreDepth)
    async throws
  {
    try await depth.withStore { store in
      try await store.save([
        record("late", [.covid19, .laboratory], at: 60), record("early", [.covid19, .immunization]),
        record("Europe's", [.covid19], .euDigitalCOVIDCertificate, at: 90),
      ])
      #expect(try await names([.covid19], in: store) == [["early"], ["late"]])
      #expect(try await names([.laboratory, .covid19], in: store) == [["late"]])
      #expect(try await names([.laboratory, .immunization], in: store) == [])
      #expect(
        try await names([.covid19], [.euDigitalCOVIDCertificate, .smartHealthCard], in: store)
          == [["early"], ["late"], ["Europe's"]])
      let window = HKQuery.predicateForVerifiableClinicalRecords(
        withRelevantDateWithin: DateInterval(start: moment(30), end: moment(70)))
      #expect(try await names([.covid19], [.smartHealthCard], window, in: store) == [["late"]])
    }
  }

  @Test func `without source types, the query with a handler uses SMART Health Cards`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([
      record("card", [.covid19]), record("Europe's", [.covid19], .euDigitalCOVIDCertificate),
    ])
    let (answers, continuation) = AsyncStream<[[String]]?>.makeStream()
    store.execute(
      HKVerifiableClinicalRecordQuery(recordTypes: [Kind.covid19.rawValue], predicate: nil) {
        _, records, _ in
        continuation.yield(records?.map(\.itemNames))
        continuation.finish()
      })
    #expect(await answers.reduce(into: []) { $0.append($1) } == [[["card"]]])
  }

  @Test func `the user is asked about matching records each time, and selects some`() async throws {
    let asked = Mutex<[[String]]>([])
    let store = try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(),
        decision: .asking { request in
          let records = request.objects.compactMap { $0 as? HKVerifiableClinicalRecord }
          asked.withLock { $0.append(records.flatMap(\.itemNames)) }
          return .granted(share: [], read: [], objects: Set(records.filter { $0.itemNames == ["late"] }))
        }))
    try await store.acting(as: .default()).save([
      record("early", [.covid19]), record("late", [.covid19], at: 60), record("other", [.recovery]),
    ])
    #expect(try await names([.covid19], in: store) == [["late"]])
    #expect(try await names([.covid19], in: store) == [["late"]])
    #expect(asked.withLock { $0 } == [["early", "late"], ["early", "late"]])
    // No record has this type, so the user is not asked again.
    #expect(try await names([.laboratory], in: store) == [])
    #expect(asked.withLock { $0 }.count == 2)
  }

  @Test func `a cancelled selection is an error`() async throws {
    let store = try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(), decision: .asking { _ in .cancelled }))
    try await store.acting(as: .default()).save(record("card", [.covid19]))
    await #expect(throws: HKError(.errorUserCanceled, reason: "The user canceled the authorization request"))
    {
      try await names([.covid19], in: store)
    }
  }
}
