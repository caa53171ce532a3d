extension BusConnection {
  /// Takes a well-known name, or throws: there is no queue to wait in.
  ///
  /// - Throws: `BusError` with `.alreadyTaken` when the name belongs to somebody else; the bus's own errors,
  ///   of them `.accessDenied` where its policy forbids the name.
  public func requestName(_ name: String) async throws(BusError) {
    let doNotQueue: UInt32 = 4
    let reply = try await call(.bus("RequestName", [.string(name), .uint32(doNotQueue)]))
    let owner = 1
    let alreadyOwner = 4
    guard let result = reply.body.first?.asInteger, result == owner || result == alreadyOwner else {
      throw BusError(.alreadyTaken, "\(name) belongs to somebody else")
    }
  }

  /// Gives a name back. One that is not ours is left as it is.
  public func releaseName(_ name: String) async throws(BusError) {
    try await call(.bus("ReleaseName", [.string(name)]))
  }

  /// The unique name of who owns `name`; nil when nobody does.
  public func nameOwner(_ name: String) async throws(BusError) -> String? {
    do throws(BusError) {
      return try await call(.bus("GetNameOwner", [.string(name)])).body.first?.asString
    } catch {
      guard error.name == .nameHasNoOwner else { throw error }
      return nil
    }
  }
}
