/// The types that a program asks to share and to read.
struct AuthorizationRequest: Sendable {
  var share: Set<HKSampleType>
  var read: Set<HKObjectType>

  /// - Throws: what Apple raises for types that cannot be asked for.
  func check() throws(HKValidationError) {
    try check(share.filter { !$0.isShareable || $0 is HKCorrelationType }, "share")
    try check(read.filter { $0 is HKCorrelationType || $0.requiresPerObjectAuthorization() }, "read")
  }

  /// - Throws: what Apple raises where the application does not tell the user why it asks.
  func check(_ application: HKHealthStore.Application) throws(HKValidationError) {
    if application.healthShareUsageDescription == nil {
      try refuse(read, without: "NSHealthShareUsageDescription", "read")
    }
    if application.healthUpdateUsageDescription == nil {
      try refuse(share, without: "NSHealthUpdateUsageDescription", "write")
    }
  }

  private func check(_ disallowed: Set<some HKObjectType>, _ access: String) throws(HKValidationError) {
    guard !disallowed.isEmpty else { return }
    throw HKValidationError(
      .invalidArgument,
      "Authorization to \(access) the following types is disallowed: \(Self.names(disallowed))")
  }

  private func refuse(
    _ types: Set<some HKObjectType>, without key: String, _ access: String
  ) throws(HKValidationError) {
    guard !types.isEmpty else { return }
    throw HKValidationError(
      .invalidArgument,
      "\(key) must be set in the app's Info.plist in order to request \(access) authorization for the following "
        + "types: \(Self.names(types))")
  }

  private static func names(_ types: Set<some HKObjectType>) -> String {
    types.map(\.identifier).sorted().joined(separator: ", ")
  }
}
