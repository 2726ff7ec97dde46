internal import KeepsakeWire
internal import Web

extension AccountsFeature {
    func addResetRoutes(to routes: Routes) {
        let (forgetPassword, resetPassword) = (forgetPassword, resetPassword)
        routes.serve(AccountEndpoints.forgotPassword) { input, context in
            try await context.count(.forgetting, of: try AccountRules.email(input.email))
            return try await forgetPassword(input)
        }
        routes.serve(AccountEndpoints.resetPassword) { input, _ in try await resetPassword(input) }
    }
}
