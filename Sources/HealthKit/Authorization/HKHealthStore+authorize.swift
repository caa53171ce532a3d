import Foundation
import HealthStorage

extension HKHealthStore {
  // swift-format-ignore: AlwaysUseLowerCamelCase, NoLeadingUnderscores
  /// The name of `requestAuthorization(toShare:read:)` under which Apple's SDK imports its Objective-C
  /// method. It exists so that programs that use this name compile.
  /// - Returns: Always true.
  @discardableResult
  public func __requestAuthorization(
    toShare typesToShare: Set<HKSampleType>?, read typesToRead: Set<HKObjectType>?
  ) async throws -> Bool {
    try await requestAuthorization(toShare: typesToShare ?? [], read: typesToRead ?? [])
    return true
  }
}

extension HKHealthStore {
  /// Returns the user's decision on whether the program may save a type. Returns notDetermined if the store
  /// cannot be opened.
  func sharingStatus(of type: HKObjectType) -> HKAuthorizationStatus {
    guard case .application(let application, _) = authority else {
      guard case .unrestricted = authority, let type = type as? HKSampleType else { return .notDetermined }
      return type.isShareable ? .sharingAuthorized : .sharingDenied
    }
    let permission = try? admit(.authorization).permission(
      for: type.identifier, of: application.bundleIdentifier)
    return switch permission?.share {
    case nil: .notDetermined
    case false?: .sharingDenied
    case true?: .sharingAuthorized
    }
  }

  /// Returns whether the user has ever been asked about reading or saving a type.
  package func isDecided(_ type: HKObjectType) -> Bool {
    guard case .application(let application, _) = authority else {
      guard case .unrestricted = authority else { return false }
      return true
    }
    let permission = try? admit(.authorization).permission(
      for: type.identifier, of: application.bundleIdentifier)
    return permission?.share != nil || permission?.read != nil
  }

  /// Returns the user's decisions on some types, by identifier, or nil if the handle needs no permission.
  func decisions(on types: Set<some HKObjectType>) async throws -> [String: Permission]? {
    guard let application = try authority.application else { return nil }
    return try await admit(.authorization).permissions(
      for: types.map(\.identifier), of: application.bundleIdentifier)
  }

  /// Asks the user for permission for those requested types on which the user has not decided yet.
  func authorize(_ request: AuthorizationRequest) async throws {
    guard let application = try applicationAsking(request) else { return }
    try await HKError.translating {
      let open = try await undecided(of: request, application)
      if !open.share.isEmpty || !open.read.isEmpty {
        try await decide(
          PermissionRequest(
            application, share: open.share.map(\.identifier).sorted(),
            read: open.read.map(\.identifier).sorted()),
          Configuration.Request(application: application, share: open.share, read: open.read, objects: []))
      }
      try await requireRequiredTypes(among: request.read, application)
    }
  }

  func status(of request: AuthorizationRequest) async throws -> HKAuthorizationRequestStatus {
    guard let application = try applicationAsking(request) else { return .unnecessary }
    return try await HKError.translating {
      let open = try await undecided(of: request, application)
      return open.share.isEmpty && open.read.isEmpty ? .unnecessary : .shouldRequest
    }
  }

  /// Returns the program that makes the request, after checking the request. Returns nil if the handle needs
  /// no permission.
  private func applicationAsking(_ request: AuthorizationRequest) throws -> Application? {
    requiring(try request.check())
    guard !request.share.isEmpty || !request.read.isEmpty else {
      throw HKError(.errorInvalidArgument, reason: "Must request authorization for at least one data type")
    }
    guard let application = try authority.application else { return nil }
    requiring(try request.check(application))
    return application
  }

  private func undecided(
    of request: AuthorizationRequest, _ application: Application
  ) async throws -> AuthorizationRequest {
    let types = request.read.union(request.share).map(\.identifier)
    let decided = try await admit(.authorization).permissions(
      for: types, of: application.bundleIdentifier)
    return AuthorizationRequest(
      share: request.share.filter { decided[$0.identifier]?.share == nil },
      read: request.read.filter { decided[$0.identifier]?.read == nil })
  }

  private func requireRequiredTypes(
    among types: Set<HKObjectType>, _ application: Application
  ) async throws {
    let required = application.requiredReadTypes.intersection(types).map(\.identifier)
    guard !required.isEmpty else { return }
    let decided = try await admit(.authorization).permissions(
      for: required, of: application.bundleIdentifier)
    guard decided.values.allSatisfy({ $0.read == true }) else {
      throw HKError(.errorRequiredAuthorizationDenied, reason: "Required authorization was denied")
    }
  }
}

// MARK: - Per-object authorization

extension HKHealthStore {
  /// Asks the user which of the matching objects the program may read.
  func authorizeObjects(
    of type: HKObjectType, _ predicate: PredicateTranslation?,
    where isIncluded: (HKSample) -> Bool = { _ in true }
  ) async throws {
    guard type.requiresPerObjectAuthorization() else {
      HKValidationError(.invalidArgument, "\(type) does not support per-object authorization").raise()
    }
    guard let application = try authority.application else { return }
    requiring(try AuthorizationRequest(share: [], read: [type]).check(application))
    try await HKError.translating {
      if type == ObjectTypes.userAnnotatedMedication { return try await authorizeMedications(application) }
      let samples = try await samplesOfOthers(type, predicate).filter(isIncluded)
      guard !samples.isEmpty else { return }
      try await decide(
        PermissionRequest(application, objects: samples.map(\.uuid)),
        Configuration.Request(application: application, share: [], read: [], objects: samples))
    }
  }

  private func samplesOfOthers(
    _ type: HKObjectType, _ predicate: PredicateTranslation?
  ) async throws -> [HKSample] {
    guard let type = type as? HKSampleType else { return [] }
    let others = SampleFilter.not(.sources([revision.source.bundleIdentifier]))
    let filter = SampleFilter.all([try .samples(of: type, predicate), others])
    let records = try await admit(.authorization).samples(filter, order: [.start(ascending: true)])
    var assembly = SampleAssembly()
    return try records.map { try assembly.sample($0) }
  }
}

/// The types that a program asks permission to save and to read.
struct AuthorizationRequest: Sendable {
  var share: Set<HKSampleType>
  var read: Set<HKObjectType>

  /// Checks that a program may ask for permission for these types.
  /// - Throws: The exception that Apple's framework raises if permission for one of the types cannot be
  ///   requested.
  func check() throws(HKValidationError) {
    try check(share.filter { !$0.isShareable || $0 is HKCorrelationType }, "share")
    try check(read.filter { $0 is HKCorrelationType || $0.requiresPerObjectAuthorization() }, "read")
  }

  /// Checks that the program has the usage descriptions that the request needs.
  /// - Throws: The exception that Apple's framework raises if a usage description is missing.
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
