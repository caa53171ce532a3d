/// How much of a document comes with its sample.
enum DocumentDetail: Sendable {
  /// What every query but a document query gives.
  case none
  /// Title and names.
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
