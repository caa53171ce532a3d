import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes for the permissions of apps, and for their authorization requests that the user has not
  /// answered.
  mutating func addPermissions(_ stores: StoreCache) {
    reads["/api/permissions"] = { request in
      try .json(try await PermissionsResponse.of(stores.store(for: request)))
    }
    changes["/api/permissions"] = { request in
      let change = try request.body(PermissionChange.self)
      guard change.share != nil || change.read != nil else {
        throw PageError.argument("The field share or the field read is required.")
      }
      let types = try change.objectTypes()
      if change.read == true { try types.forEach(requireReadable) }
      try await stores.store(for: request).setPermission(
        share: change.share, read: change.read, on: types, for: change.application)
      return try .json(Done())
    }
    changes["/api/permissions/reset"] = { request in
      let change = try request.body(PermissionReset.self)
      let reset = try await stores.store(for: request).resetPermissions(
        on: change.types?.map { try $0.objectType() }, for: change.application)
      return try .json(ResetResponse(reset: reset))
    }
    changes["/api/permissions/answer"] = { request in
      let answer = try request.body(PendingResponse.self)
      try await answer.give(in: stores.store(for: request))
      return try .json(Done())
    }
  }
}

/// Throws if permission to read a type has no effect, because other types or single samples decide.
private func requireReadable(_ type: HKObjectType) throws(PageError) {
  if type is HKCorrelationType {
    throw .argument("\(TypeName.short(type)) consists of samples of other types: choose these types.")
  }
  if type.requiresPerObjectAuthorization() {
    throw .argument("Reading \(TypeName.short(type)) is allowed for each sample, when the app asks.")
  }
}

/// An empty response.
struct Done: Codable, Sendable {}

struct PermissionsResponse: Codable, Sendable {
  struct Permission: Codable, Sendable {
    var application: String
    var name: String
    var type: String
    /// Whether the app may save and read; absent if undecided.
    var share: Bool?
    var read: Bool?
    /// For a type with per-object authorization, the number of objects that the app may read; absent if there
    /// are none.
    var objects: Int?
    /// When the app last read anything; absent if no read is recorded, such as one by an earlier version.
    var lastRead: Date?
  }

  /// An object that an app asks to read.
  struct Object: Codable, Sendable {
    var uuid: String
    var type: String
    var start: Date
    var end: Date
    var source: String
    var name: String

    init(_ sample: HKSample) {
      (uuid, type) = (sample.uuid.uuidString, TypeName.short(sample.sampleType))
      (start, end) = (sample.startDate, sample.endDate)
      let from = sample.sourceRevision.source
      (source, name) = (from.bundleIdentifier, from.name)
    }
  }

  /// Maximum number of objects in the list. With more, the page's request with the answer would be too large.
  static let mostObjects = 500

  /// An authorization request of an app that the user has not answered.
  struct Pending: Codable, Sendable {
    var id: Int64
    var asked: Date
    var application: String
    var name: String
    var read: [String]
    var share: [String]
    /// The objects that the app asks to read; absent if there are none.
    var objects: [Object]?
    /// The number of objects that are not in the list. The user cannot decide about them individually on the
    /// page.
    var moreObjects: Int?
    /// The app's stated reasons for reading and saving.
    var readPurpose: String?
    var sharePurpose: String?
  }

  var permissions: [Permission]
  var pending: [Pending]

  static func of(_ store: SystemStore) async throws -> PermissionsResponse {
    let permissions = try await store.permissions().map {
      Permission(
        application: $0.bundleIdentifier, name: $0.applicationName,
        type: TypeName.short(ofIdentifier: $0.type), share: $0.share, read: $0.read,
        objects: $0.objects == 0 ? nil : $0.objects, lastRead: $0.lastRead)
    }
    let pending = try await store.pendingAuthorizations().map { pending in
      let request = pending.request
      return Pending(
        id: pending.id, asked: pending.asked, application: request.application.bundleIdentifier,
        name: request.application.name, read: request.read.map(TypeName.short).sorted(),
        share: request.share.map(TypeName.short).sorted(),
        objects: request.objects.isEmpty ? nil : request.objects.prefix(mostObjects).map { Object($0) },
        moreObjects: request.objects.count > mostObjects ? request.objects.count - mostObjects : nil,
        readPurpose: request.application.healthShareUsageDescription,
        sharePurpose: request.application.healthUpdateUsageDescription)
    }
    return PermissionsResponse(permissions: permissions, pending: pending)
  }
}

extension SystemStore {
  /// Maximum number of authorization requests in the list, which contains the oldest ones.
  private static let mostPending = 100

  func pendingAuthorizations() async throws -> [PendingAuthorization] {
    var pending: [PendingAuthorization] = []
    while pending.count < Self.mostPending,
      let next = try await nextPendingAuthorization(after: pending.last?.id)
    {
      pending.append(next)
    }
    return pending
  }
}

private struct PermissionChange: Decodable {
  var application: String
  var types: [String]
  var share: Bool?
  var read: Bool?

  func objectTypes() throws -> [HKObjectType] { try types.map { try $0.objectType() } }
}

private struct PermissionReset: Decodable {
  var application: String
  /// The types; absent for all types.
  var types: [String]?
}

private struct ResetResponse: Encodable {
  var reset: Int
}

/// The user's answer to an authorization request. Types that it does not contain are denied.
private struct PendingResponse: Decodable {
  var id: Int64
  var read: [String]?
  var share: [String]?
  /// The UUIDs of the objects that the app may read. Required if the app asked for objects: a page that did
  /// not show them must not implicitly deny them.
  var objects: [String]?

  func give(in store: SystemStore) async throws {
    guard let pending = try await store.pendingAuthorizations().first(where: { $0.id == id }) else {
      throw PageError.absent("This app no longer waits for an answer.")
    }
    let (read, share) = (Set(read ?? []), Set(share ?? []))
    let asked = pending.request
    let known = Set(asked.read.map(TypeName.short)).union(asked.share.map(TypeName.short))
    guard read.union(share).isSubset(of: known) else {
      throw PageError.argument("Only the requested types and samples can be granted.")
    }
    guard objects != nil || asked.objects.isEmpty else {
      throw PageError.argument(
        "The app also asks for single samples: reload the page, or answer with hrgate permissions ask.")
    }
    let chosen = Set(objects ?? [])
    let granted = asked.objects.filter { chosen.contains($0.uuid.uuidString) }
    guard granted.count == chosen.count else {
      throw PageError.argument("Only the requested types and samples can be granted.")
    }
    try await store.answer(
      pending,
      .granted(
        share: asked.share.filter { share.contains(TypeName.short($0)) },
        read: asked.read.filter { read.contains(TypeName.short($0)) }, objects: Set(granted)))
  }
}

extension String {
  /// Returns the type with this name.
  /// - Throws: ``PageError`` if there is no such type.
  fileprivate func objectType() throws -> HKObjectType {
    guard let type = TypeName.objectType(self) else {
      throw PageError.absent("There is no type \(self).")
    }
    return type
  }
}
