public import Foundation
import HealthStorage

/// A query that reads documents. It is the only query that returns the contents of documents.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
public final class HKDocumentQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, a batch of documents, whether it is the last batch, and an error. If there
  /// is an error, the documents are nil.
  public typealias ResultsHandler =
    @Sendable (HKDocumentQuery, [HKDocumentSample]?, Bool, (any Error)?) -> Void

  /// Maximum number of documents per batch. Kept small because documents are large.
  private static let batch = 8

  public let limit: Int
  /// Whether the documents include their XML. If not, they only have their title and names.
  public let includeDocumentData: Bool
  public let sortDescriptors: [NSSortDescriptor]?
  private let order: Result<[SampleOrder], HKError>
  private let request: Result<SampleRequest, HKError>
  private let handler: ResultsHandler

  /// Creates a query.
  /// - Parameters:
  ///   - limit: The maximum number of documents; `HKObjectQueryNoLimit` for all.
  ///   - sortDescriptors: Only start and end date are supported; others fail with errorInvalidArgument.
  ///   - resultsHandler: Called for each batch, at least once.
  @preconcurrency
  public init(
    documentType: HKDocumentType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
    includeDocumentData: Bool, resultsHandler: @escaping ResultsHandler
  ) {
    self.limit = limit
    self.includeDocumentData = includeDocumentData
    self.sortDescriptors = sortDescriptors
    let translation = predicate.map(PredicateTranslation.init)
    request = Result { () throws(HKError) in try SampleRequest(documentType, translation) }
    order = Result { () throws(HKError) -> [SampleOrder] in
      // `stored` is nil only for sort descriptors on workouts, which a document query cannot have.
      try SampleSorting(sortDescriptors ?? [], of: [documentType]).stored ?? []
    }
    handler = resultsHandler
    super.init(documentType, translation)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let (request, order) = (try request.get(), try order.get())
      // Read the UUIDs first, and then each batch separately. The handler may use the store, so no read may
      // be in progress while the handler runs.
      var left = try await store.uuids(request, order, limit: limit == HKObjectQueryNoLimit ? nil : limit)[
        ...]
      repeat {
        let page = left.prefix(Self.batch)
        left = left.dropFirst(Self.batch)
        let part = SampleRequest(
          types: request.types, filter: .all([request.filter, .uuids(Set(page))]))
        let documents: [HKDocumentSample] = try await store.fold(
          into: [], part, order: order, limit: nil,
          detail: SampleDetail(documents: includeDocumentData ? .whole : .summary)
        ) { (documents: inout [HKDocumentSample], document: HKDocumentSample) in documents.append(document) }
        // If all documents of a batch were deleted in the meantime, skip the batch, unless it is the last
        // one.
        let isLast = left.isEmpty
        if isLast || !documents.isEmpty { await deliver { self.handler(self, documents, isLast, nil) } }
      } while !left.isEmpty && !Task.isCancelled
    } catch {
      await deliver { self.handler(self, nil, true, error) }
    }
  }
}

/// How much of a document a query reads.
enum DocumentDetail: Sendable {
  /// Nothing. All queries except document queries use this.
  case none
  /// The title and the names.
  case summary
  case whole
}

extension HKCDADocumentSample {
  func reduced(to detail: DocumentDetail) -> HKCDADocumentSample {
    switch detail {
    case .none: HKCDADocumentSample(nil, interval, origin)
    case .summary: HKCDADocumentSample(document.map { $0.withoutData() }, interval, origin)
    case .whole: self
    }
  }
}
