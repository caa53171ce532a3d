public import Foundation
import HealthStorage

/// Asks for documents; the only query that gives what is in them.
// @unchecked: as for HKQuery.
public final class HKDocumentQuery: HKQuery, @unchecked Sendable {
  /// The documents of a batch, and whether it was the last. With an error there are none.
  public typealias ResultsHandler =
    @Sendable (HKDocumentQuery, [HKDocumentSample]?, Bool, (any Error)?) -> Void

  /// Documents are large; no more of them are held at once.
  private static let batch = 8

  public let limit: Int
  /// Whether the documents come with their XML; if not, with what it says of title and names.
  public let includeDocumentData: Bool
  public let sortDescriptors: [NSSortDescriptor]?
  private let order: Result<[SampleOrder], HKError>
  private let question: Result<SampleQuestion, HKError>
  private let handler: ResultsHandler

  /// - Parameters:
  ///   - limit: `HKObjectQueryNoLimit` for all.
  ///   - sortDescriptors: on the start and end dates; any other is answered with errorInvalidArgument.
  ///   - resultsHandler: called for each batch, at least once.
  @preconcurrency
  public init(
    documentType: HKDocumentType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
    includeDocumentData: Bool, resultsHandler: @escaping ResultsHandler
  ) {
    self.limit = limit
    self.includeDocumentData = includeDocumentData
    self.sortDescriptors = sortDescriptors
    let translation = predicate.map(PredicateTranslation.init)
    question = Result { () throws(HKError) in try SampleQuestion(documentType, translation) }
    order = Result { () throws(HKError) -> [SampleOrder] in
      // Only workouts have what the store does not sort by.
      try SampleSorting(sortDescriptors ?? [], of: [documentType]).stored ?? []
    }
    handler = resultsHandler
    super.init(documentType, translation)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let (question, order) = (try question.get(), try order.get())
      // The handler may use the store: it is called between reads, not within one.
      var left = try await store.uuids(question, order, limit: limit == HKObjectQueryNoLimit ? nil : limit)[
        ...]
      repeat {
        let page = left.prefix(Self.batch)
        left = left.dropFirst(Self.batch)
        let part = SampleQuestion(
          types: question.types, filter: .all([question.filter, .uuids(Set(page))]))
        let documents: [HKDocumentSample] = try await store.fold(
          into: [], part, order: order, limit: nil,
          detail: SampleDetail(documents: includeDocumentData ? .whole : .summary)
        ) { (documents: inout [HKDocumentSample], document: HKDocumentSample) in documents.append(document) }
        // All of a batch may have been deleted since.
        let isLast = left.isEmpty
        if isLast || !documents.isEmpty { await deliver { self.handler(self, documents, isLast, nil) } }
      } while !left.isEmpty && !Task.isCancelled
    } catch {
      await deliver { self.handler(self, nil, true, error) }
    }
  }
}
