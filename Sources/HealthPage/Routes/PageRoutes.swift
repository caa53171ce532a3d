/// Maps exact paths to routes and files.
struct PageRoutes: Sendable {
  typealias Route = @Sendable (PageRequest) async throws -> PageResponse

  var reads: [String: Route] = [:]
  var changes: [String: Route] = [:]
  let files: PageFiles
  /// Creates the file for a large request body. The argument is the announced size in bytes, or `nil` if
  /// unknown.
  var newUpload: @Sendable (Int?) throws(PageError) -> UploadedFile = { _ throws(PageError) in throw .tooLarge
  }
  /// Returns the number of damaged segments (stored hours of compressed samples) found so far. It is in a
  /// header field of each response. When it changes, the page requests `/api/damage`.
  var damagedBlocks: @Sendable (PageRequest) -> Int = { _ in 0 }

  /// Returns the reason why nothing can be saved in the store that a request concerns, or `nil` if there is
  /// no problem.
  var storeProblem: @Sendable (PageRequest) -> String? = { _ in nil }

  init(files: PageFiles = PageFiles()) { self.files = files }

  /// Returns the response to a request.
  /// - Throws: ``PageError``, or the error of the route.
  func response(_ request: PageRequest, isChange: Bool) async throws -> PageResponse {
    guard let route = isChange ? changes[request.path] : reads[request.path] else {
      if !isChange, let file = files.file(at: request.path) {
        return PageResponse(file)
      }
      throw reads[request.path] == nil && changes[request.path] == nil ? PageError.unknown : .method
    }
    let problem = storeProblem(request)
    if isChange, let problem, !Self.storeless.contains(where: request.path.hasPrefix) {
      throw PageError.store(problem)
    }
    var response = try await route(request)
    response.fields["X-HRGate-Damaged-Blocks"] = String(damagedBlocks(request) + (problem == nil ? 0 : 1))
    return response
  }

  /// Beginnings of the paths of changes that do not concern a store.
  private static let storeless = ["/api/sessions", "/api/radio/stop", "/api/radio/answer", Self.unlockPath]

  /// Returns the style sheet, which does not require a session.
  func look() throws(PageError) -> PageResponse {
    guard let file = files.file(at: PageResponse.look) else { throw .unknown }
    return PageResponse(file)
  }
}
