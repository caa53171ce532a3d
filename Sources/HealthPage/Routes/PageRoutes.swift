/// Maps exact paths to routes and files.
struct PageRoutes: Sendable {
  typealias Route = @Sendable (PageRequest) async throws -> PageResponse

  var reads: [String: Route] = [:]
  var changes: [String: Route] = [:]
  let files: PageFiles
  /// Returns the number of damaged blocks met so far. Each response has it in a header field, so that the
  /// page requests `/api/damage` when it changes.
  var damagedBlocks: @Sendable (PageRequest) -> Int = { _ in 0 }

  init(files: PageFiles = PageFiles()) { self.files = files }

  /// Returns the response to a request.
  /// - Throws: ``PageError``, or the error of the route.
  func answer(_ question: PageRequest, isChange: Bool) async throws -> PageResponse {
    guard let route = isChange ? changes[question.path] : reads[question.path] else {
      if !isChange, let file = files.file(at: question.path) {
        return PageResponse(file)
      }
      throw reads[question.path] == nil && changes[question.path] == nil ? PageError.unknown : .method
    }
    var answer = try await route(question)
    answer.fields["X-HRGate-Damaged-Blocks"] = String(damagedBlocks(question))
    return answer
  }

  /// The style sheet, which needs no session.
  func look() throws(PageError) -> PageResponse {
    guard let file = files.file(at: PageResponse.look) else { throw .unknown }
    return PageResponse(file)
  }
}
