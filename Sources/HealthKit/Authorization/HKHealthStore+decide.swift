import Foundation
package import HealthStorage

extension HKHealthStore {
  /// Submits a permission request to the user, or to the closure that the program configured instead, and
  /// stores the answer.
  /// - Throws: errorUserCanceled if the user or the closure dismisses the request.
  func decide(_ storedRequest: PermissionRequest, _ request: Configuration.Request) async throws {
    guard case .application(_, let decider) = authority else { return }
    let database = try admit(.authorization)
    switch decider {
    case .user: try await Self.askUser(storedRequest, in: database)
    case .program(let decide):
      let answer = try await decide(request)
      if case .cancelled = answer { throw Self.cancelled }
      try await Self.keep(answer, to: request, storedRequest, in: database)
    }
  }

  /// Waits until the user has answered all permission requests of this program, including those of its other
  /// processes.
  func settlePendingRequests() async throws {
    guard let application = try authority.application, case .application(_, let decider) = authority else {
      return
    }
    try await HKError.translating {
      let database = try admit(.authorization)
      try await Self.forgetAbandonedRequests(in: database)
      for pending in try await database.pendingRequests(of: application.bundleIdentifier) {
        if case .program(let decide) = decider {
          let request = try await Self.request(pending, application, in: database)
          try await Self.keep(
            try await decide(request), to: request, pending.request, pending.id, in: database)
        } else {
          _ = try await Self.answer(to: pending.id, in: database)
        }
      }
    }
  }

  /// Deletes the permission requests of processes that have ended. A killed program cannot withdraw its
  /// request.
  package static func forgetAbandonedRequests(in database: SampleDatabase) async throws {
    for (request, asker) in try await database.askers() where !asker.isAlive {
      try await database.withdraw(request)
    }
  }

  private static let cancelled = HKError(
    .errorUserCanceled, reason: "The user canceled the authorization request")

  private static func askUser(_ storedRequest: PermissionRequest, in database: SampleDatabase) async throws {
    let id = try await database.ask(storedRequest, by: .this, at: Microseconds.clamped(Date()))
    let answer: PermissionDecision
    do {
      answer = try await Self.answer(to: id, in: database)
    } catch {
      // Withdraw the request in a separate task, because the current task may be canceled. If that fails, the
      // user sees an obsolete request, which is harmless.
      await Task { try? await database.withdraw(id) }.value
      throw error
    }
    try await database.withdraw(id)
    guard answer == .decided else { throw cancelled }
  }

  /// Waits for the answer to a permission request. Reads the store after every commit, because another
  /// process stores the answer.
  private static func answer(to request: Int64, in database: SampleDatabase) async throws
    -> PermissionDecision
  {
    // Subscribe before the first check, so that no commit is missed.
    var ticks = database.commits().makeAsyncIterator()
    var notice = WaitingNotice(store: database.path)
    while true {
      let answer = try await database.answer(to: request)
      guard answer == .pending else { return answer }
      notice.printOnce()
      // The sequence ended, because the task is canceled.
      guard await ticks.next() != nil else { throw CancellationError() }
    }
  }

  /// Stores the answer to a permission request. Everything that was not granted is denied.
  /// - Parameters:
  ///   - shown: The request as the user saw it.
  ///   - storedRequest: The same request as it is stored. It may contain types that this version does not
  ///     know.
  ///   - id: The identifier of the stored request, or nil if it was never stored.
  package static func keep(
    _ answer: Configuration.Answer, to shown: Configuration.Request, _ storedRequest: PermissionRequest,
    _ id: Int64? = nil, in database: SampleDatabase
  ) async throws {
    let now = Microseconds.clamped(Date())
    let granted: (share: Set<String>, read: Set<String>, objects: Set<UUID>)
    switch answer {
    case .cancelled:
      if let id { try await database.cancel(id, at: now) }
      return
    case .grantedAll:
      granted = identifiers(shown.share, shown.read, shown.objects)
    case .granted(let share, let read, let objects):
      granted = identifiers(share, read, Array(objects))
    }
    var decisions: [String: Permission] = [:]
    for type in storedRequest.share {
      decisions[type, default: Permission()].share = granted.share.contains(type)
    }
    for type in storedRequest.read {
      decisions[type, default: Permission()].read = granted.read.contains(type)
    }
    try await database.answer(storedRequest, id, decisions, readable: granted.objects, at: now)
  }

  private static func identifiers(
    _ share: Set<HKSampleType>, _ read: Set<HKObjectType>, _ objects: [HKSample]
  ) -> (share: Set<String>, read: Set<String>, objects: Set<UUID>) {
    (Set(share.map(\.identifier)), Set(read.map(\.identifier)), Set(objects.map(\.uuid)))
  }

  /// Returns a stored permission request, with the program's description at the time of the request.
  package static func request(
    _ pending: PendingRequest, in database: SampleDatabase
  ) async throws -> Configuration.Request {
    try await request(pending, Application(asking: pending.request), in: database)
  }

  /// Returns a stored permission request in the form that the user sees. Types that this version does not
  /// know are left out, and every answer denies them.
  private static func request(
    _ pending: PendingRequest, _ application: Application, in database: SampleDatabase
  ) async throws -> Configuration.Request {
    var assembly = SampleAssembly()
    let objects = try await database.samples(
      .uuids(Set(pending.request.objects)), order: [.start(ascending: true)])
    return Configuration.Request(
      application: application,
      share: Set(pending.request.share.compactMap { ObjectTypes.type($0) as? HKSampleType }),
      read: Set(pending.request.read.compactMap { ObjectTypes.type($0) }),
      objects: try objects.map { try assembly.sample($0) })
  }
}

extension HKHealthStore.Application {
  fileprivate init(asking request: PermissionRequest) {
    self.init(
      trusting: request.application.bundleIdentifier, name: request.application.name, version: nil,
      entitlements: Entitlements(healthKit: true), healthShareUsageDescription: request.readDescription,
      healthUpdateUsageDescription: request.shareDescription, requiredReadTypes: [], backgroundUnit: nil)
  }
}

extension PermissionRequest {
  init(
    _ application: HKHealthStore.Application, share: [String] = [], read: [String] = [],
    objects: [UUID] = []
  ) {
    self.init(
      application: ApplicationRecord(
        bundleIdentifier: application.bundleIdentifier, name: application.name),
      shareDescription: application.healthUpdateUsageDescription,
      readDescription: application.healthShareUsageDescription, share: share, read: read, objects: objects)
  }
}
