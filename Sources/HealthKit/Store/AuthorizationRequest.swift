/// The types that a program asks to share and to read.
struct AuthorizationRequest: Sendable {
  let share: Set<HKSampleType>
  let read: Set<HKObjectType>

  /// - Throws: what Apple raises for types that cannot be asked for.
  func check() throws(HKValidationError) {
    try check(share.filter { !$0.isShareable || $0 is HKCorrelationType }, "share")
    try check(read.filter { $0 is HKCorrelationType || $0.requiresPerObjectAuthorization() }, "read")
  }

  private func check(_ disallowed: Set<some HKObjectType>, _ access: String) throws(HKValidationError) {
    guard !disallowed.isEmpty else { return }
    let names = disallowed.map(\.identifier).sorted().joined(separator: ", ")
    throw HKValidationError(
      .invalidArgument, "Authorization to \(access) the following types is disallowed: \(names)")
  }
}
