import HealthKit
import Testing

@Suite(.timeLimit(.minutes(30))) struct DocumentQueryTests {
  private struct Batch: Sendable {
    var documents: [HKDocumentSample]
    var isLast: Bool
  }

  private func batches(
    _ store: HKHealthStore, limit: Int = HKObjectQueryNoLimit, data: Bool
  ) async -> [Batch] {
    let (stream, continuation) = AsyncStream.makeStream(of: Batch.self)
    store.execute(
      HKDocumentQuery(
        documentType: HKDocumentType(.CDA), predicate: nil, limit: limit,
        sortDescriptors: [NSSortDescriptor(keyPath: \HKSample.startDate, ascending: false)],
        includeDocumentData: data
      ) { _, documents, isLast, _ in
        continuation.yield(Batch(documents: documents ?? [], isLast: isLast))
        if isLast { continuation.finish() }
      })
    return await stream.reduce(into: []) { $0.append($1) }
  }

  private func save(_ count: Int, in store: HKHealthStore) async throws {
    for second in 0..<count {
      try await store.save(
        HKCDADocumentSample(
          data: Data(cda(title: "Visit \(second)").utf8), start: moment(Double(second)),
          end: moment(Double(second)), metadata: nil))
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `documents are returned in batches, and the last one is marked`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await save(20, in: store)
      let batches = await batches(store, data: true)
      #expect(batches.map(\.documents.count) == [8, 8, 4])
      #expect(batches.map(\.isLast) == [false, false, true])
      let titles = batches.flatMap(\.documents).compactMap { ($0 as? HKCDADocumentSample)?.document?.title }
      #expect(titles == (0..<20).reversed().map { "Visit \($0)" })
    }
  }

  @Test(arguments: StoreDepth.allCases)
  func `the handler can use the store`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await save(20, in: store)
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      store.execute(
        HKDocumentQuery(
          documentType: HKDocumentType(.CDA), predicate: nil, limit: HKObjectQueryNoLimit,
          sortDescriptors: nil, includeDocumentData: false
        ) { _, documents, isLast, _ in
          _ = try? store.dateOfBirthComponents()
          continuation.yield(documents?.count ?? -1)
          if isLast { continuation.finish() }
        })
      #expect(await stream.reduce(into: []) { $0.append($1) } == [8, 8, 4])
    }
  }

  @Test func `the XML is returned only on request`() async throws {
    let store = try HKHealthStore.inMemory()
    try await save(1, in: store)
    for data in [true, false] {
      let sample = await batches(store, data: data).first?.documents.first as? HKCDADocumentSample
      #expect(sample?.document?.title == "Visit 0")
      #expect((sample?.document?.documentData != nil) == data)
      #expect(sample?.sourceRevision.source == .default())
    }
  }

  @Test func `other queries do not return the XML`() async throws {
    let store = try HKHealthStore.inMemory()
    try await save(1, in: store)
    let query = HKSampleQueryDescriptor(
      predicates: [HKSamplePredicate<HKSample>.sample(type: HKDocumentType(.CDA))], sortDescriptors: [])
    let sample = try await query.result(for: store).first as? HKCDADocumentSample
    #expect(sample != nil)
    #expect(sample?.document == nil)
  }

  @Test func `a store without documents returns one empty batch`() async throws {
    let batches = await batches(try HKHealthStore.inMemory(), data: true)
    #expect(batches.map(\.documents.count) == [0])
    #expect(batches.map(\.isLast) == [true])
  }

  @Test func aLimitCounts() async throws {
    let store = try HKHealthStore.inMemory()
    try await save(10, in: store)
    #expect(await batches(store, limit: 9, data: false).map(\.documents.count) == [8, 1])
  }
}

/// Returns a minimal CDA document.
private func cda(title: String) -> String {
  """
  <ClinicalDocument xmlns="urn:hl7-org:v3"><title>\(title)</title><recordTarget/><author/><custodian/></ClinicalDocument>
  """
}
