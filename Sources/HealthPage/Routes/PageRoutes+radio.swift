import Foundation

extension PageRoutes {
  /// Adds the routes for actions on monitors: scan, pair and forget. A request starts an action and returns
  /// immediately. The page then polls `/api/radio` for its state.
  mutating func addRadio(_ queue: RadioQueue, _ stores: StoreCache) {
    reads["/api/radio"] = { _ in try .json(queue.report) }
    changes["/api/radio/hear"] = { request in
      _ = try request.body(Nothing.self)
      return try .json(queue.hear(stores.target(for: request)))
    }
    changes["/api/radio/enrol"] = { request in
      let change = try request.body(MonitorChange.self)
      return try .json(queue.enrol(stores.target(for: request), try change.wish()))
    }
    changes["/api/radio/answer"] = { request in
      try queue.take(request.body(RadioAnswer.self).checked())
      return try .json(Done())
    }
    changes["/api/radio/stop"] = { request in
      _ = try request.body(Nothing.self)
      queue.stop()
      return try .json(Done())
    }
    changes["/api/monitors/forget"] = { request in
      let change = try request.body(MonitorChange.self)
      return try .json(queue.forget(stores.target(for: request), try change.wish().monitor))
    }
  }
}

extension StoreCache {
  fileprivate func target(for request: PageRequest) throws -> PageRadio.Target {
    PageRadio.Target(store: try store(for: request), person: request.parameters["person"])
  }
}

/// The body of a request without parameters: `{}`.
private struct Nothing: Decodable {}

private struct MonitorChange: Decodable {
  /// Maximum length of a device name: 248 bytes (Core Specification, Vol 3, Part C, §3.2.2).
  private static let longest = 248

  /// The address or the name of the monitor.
  var monitor: String
  /// Whether to bond with the monitor. The default is `true`.
  var bonds: Bool?

  func wish() throws(PageError) -> EnrolmentRequest {
    guard !monitor.isEmpty, monitor.utf8.count <= Self.longest else {
      throw .argument("Name the monitor by its address, or by its name.")
    }
    return EnrolmentRequest(monitor: monitor, bonds: bonds ?? true)
  }
}

extension RadioAnswer {
  fileprivate func checked() throws(PageError) -> RadioAnswer {
    if let passkey {
      guard (1...6).contains(passkey.utf8.count), passkey.utf8.allSatisfy({ (48...57).contains($0) }) else {
        throw .argument("A passkey is six digits.")
      }
    }
    return self
  }
}
